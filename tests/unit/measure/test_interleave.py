from __future__ import annotations

from random import Random

from perfgate.core.errors import UsageError
from perfgate.core.record import Run
from perfgate.measure.interleave import interleaved


def taken(
    wanted: dict[str, range], *, failing: tuple[tuple[str, int], ...] = (), seed: int = 0
) -> tuple[list[tuple[str, int]], dict[str, tuple[Run, ...]], dict[str, str], list[tuple[int, int, str]]]:
    order: list[tuple[str, int]] = []
    said: list[tuple[int, int, str]] = []

    def take(key: str, number: int) -> Run:
        order.append((key, number))
        if (key, number) in failing:
            raise UsageError("it broke", key, "mend it")
        return Run(id=number, seed=0, samples={})

    runs, failed = interleaved(wanted, take, Random(seed), lambda *words: said.append(words))  # noqa: S311 - an order
    return order, runs, failed, said


def test_every_benchmark_has_its_first_run_before_any_has_its_second() -> None:
    order, runs, failed, _ = taken({key: range(3) for key in "abcd"})
    for step in range(3):
        assert sorted(order[step * 4 : step * 4 + 4]) == [(key, step) for key in "abcd"]
    assert {key: [run.id for run in found] for key, found in runs.items()} == {
        key: [0, 1, 2] for key in "abcd"
    }
    assert failed == {}


def test_the_order_within_a_step_is_shuffled_and_repeats_by_seed() -> None:
    wanted = {key: range(4) for key in "abcdefgh"}
    order = taken(wanted)[0]
    steps = ["".join(key for key, _ in order[start : start + 8]) for start in range(0, 32, 8)]
    assert len(set(steps)) == 4
    assert taken(wanted)[0] == order
    assert taken(wanted, seed=1)[0] != order


def test_a_benchmark_that_fails_gets_no_further_run_and_the_others_go_on() -> None:
    order, runs, failed, _ = taken({"a": range(3), "b": range(3)}, failing=(("a", 1),))
    assert [item for item in order if item[0] == "a"] == [("a", 0), ("a", 1)]
    assert failed == {"a": "it broke: a: mend it"}
    assert list(runs) == ["b"]
    assert len(runs["b"]) == 3


def test_further_runs_keep_their_numbers_and_may_differ_in_count() -> None:
    order, runs, _, _ = taken({"a": range(5, 7), "b": range(9, 10)})
    assert sorted(order) == [("a", 5), ("a", 6), ("b", 9)]
    assert [run.id for run in runs["a"]] == [5, 6]


def test_progress_counts_all_runs() -> None:
    said = taken({"a": range(2), "b": range(1)})[3]
    assert [(done, total) for done, total, _ in said] == [(0, 3), (1, 3), (2, 3)]


def test_nothing_wanted_is_nothing_taken() -> None:
    assert taken({}) == ([], {}, {}, [])
