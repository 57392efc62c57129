from __future__ import annotations

import random

import pytest

from perfgate.bisection.nearest import Endpoints, bad_chance, decode_endpoints, encode_endpoints
from perfgate.bisection.probe import Launch
from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS

LATENCY, CYCLES = KNOWN_METRICS["latency"], KNOWN_METRICS["cycles"]


def launch(level: float, dice: random.Random, count: int = 20, noise: float = 0.03) -> Launch:
    return Launch(samples=tuple(level * dice.lognormvariate(0, noise) for _ in range(count)))


def endpoints(seed: int, step: float = 1.05) -> tuple[Endpoints, random.Random]:
    dice = random.Random(seed)  # noqa: S311 - a test's dice
    record = Endpoints(
        benchmark="b[d]",
        metric=LATENCY,
        good_commit="a",
        bad_commit="b",
        good=tuple(launch(1.0, dice) for _ in range(6)),
        bad=tuple(launch(step, dice) for _ in range(6)),
    )
    return record, dice


def exact(good: float, bad: float) -> Endpoints:
    sides = [(Launch(exact={"cycles": value}),) for value in (good, bad)]
    return Endpoints(
        benchmark="b[d]", metric=CYCLES, good_commit="a", bad_commit="b", good=sides[0], bad=sides[1]
    )


@pytest.mark.parametrize(
    ("now", "chance"), [(100, 0.0), (149, 0.0), (151, 1.0), (200, 1.0), (900, 1.0), (1, 0.0)]
)
def test_an_exact_value_belongs_to_the_nearer_end(now: float, chance: float) -> None:
    assert bad_chance(exact(100, 200), [Launch(exact={"cycles": now})]) == chance


def test_one_launch_at_either_level_is_told_apart_at_5_percent_with_3_percent_noise() -> None:
    """20 samples of SD 3 %: the ends are 5 / (3 sqrt(1.1 (1/20 + 1/120))) = 6.6 SD apart, half that is 3.3.

    A launch is on the wrong side with P(z > 3.3) = .05 %, so none of 200 is the likeliest count by far.
    """
    record, dice = endpoints(1)
    wrong = sum(bad_chance(record, [launch(1.0, dice)]) > 0.5 for _ in range(100))
    wrong += sum(bad_chance(record, [launch(1.05, dice)]) < 0.5 for _ in range(100))
    assert wrong <= 2


def test_more_launches_make_it_surer() -> None:
    record, dice = endpoints(2, step=1.01)
    launches = [launch(1.01, dice) for _ in range(24)]
    few, many = bad_chance(record, launches[:2]), bad_chance(record, launches)
    assert many > 0.99
    assert many > few


def test_an_outlying_launch_alone_decides_nothing_against_the_others() -> None:
    """A neighbour on the machine makes one launch 20 % slower: its share of the evidence is capped."""
    record, dice = endpoints(3)
    launches = [launch(1.0, dice) for _ in range(5)]
    assert bad_chance(record, [*launches, launch(1.2, dice)]) < 0.001


def test_a_file_of_end_points_comes_back() -> None:
    record, _ = endpoints(4)
    assert decode_endpoints(encode_endpoints(record).encode(), "e.json") == record


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "perfgate/record/1"}'])
def test_another_file_is_refused(text: str) -> None:
    with pytest.raises(UnusableError, match="record --endpoints"):
        decode_endpoints(text.encode(), "e.json")


def test_another_version_and_an_empty_end_are_refused() -> None:
    text = encode_endpoints(exact(1, 2))
    with pytest.raises(UnusableError, match="unknown schema"):
        decode_endpoints(text.replace("endpoints/1", "endpoints/9").encode(), "e.json")
    empty = Endpoints(benchmark="b", metric=CYCLES, good_commit="a", bad_commit="b", good=(), bad=())
    with pytest.raises(UnusableError, match="without launches"):
        decode_endpoints(encode_endpoints(empty).encode(), "e.json")
