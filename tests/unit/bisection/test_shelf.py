from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.bisection.probe import Launch, Outcome, Probe, ProbeOutcome, Progress, Purpose
from perfgate.bisection.probe_cache import CacheKey, ProbeCache
from perfgate.bisection.shelf import Shelf, Subject, launches_of, shortened
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Record, Ruler, Run
from perfgate.core.record import Subject as Measured

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.metric import Metric

LATENCY, CYCLES = KNOWN_METRICS["latency"], KNOWN_METRICS["cycles"]
TREES = {"a": "tree 1", "b": "tree 2", "c": "tree 1"}  # c reverts to a


def key(commit: str) -> CacheKey:
    parts = dict.fromkeys(CacheKey.__struct_fields__, "")
    return CacheKey(**{**parts, "tree": TREES[commit]})


def shelf(folder: Path, metric: Metric = LATENCY) -> Shelf:
    return Shelf(Subject(trees=TREES, key=key, metric=metric), ProbeCache(folder))


def record(*runs: tuple[float, ...], cycles: float = 7.0) -> Record:
    return Record(
        benchmark="b",
        device="d",
        backend="simulated",
        ruler=Ruler(inputs={}, metrics=(LATENCY, CYCLES), protocol={}),
        subject=Measured(model="m", model_digest=""),
        runs=tuple(
            Run(id=number, seed=0, samples={"latency": samples}) for number, samples in enumerate(runs)
        ),
        exact={"cycles": cycles},
    )


def wanted(commit: str, samples: int = 2) -> Probe:
    progress = Progress(left=0, bad_chance=0.5, builds=0, samples=0)
    return Probe(commit=commit, samples=samples, purpose=Purpose.SEARCH, progress=progress)


def samples_of(outcome: ProbeOutcome | None) -> tuple[float, ...]:
    assert outcome is not None
    assert outcome.launch is not None
    return outcome.launch.samples


def test_each_launch_is_an_answer_once(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    assert held.answer(wanted("a")) is None
    held.add("a", record((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), 6.0)
    assert samples_of(held.answer(wanted("a"))) == (1.0, 2.0)
    assert samples_of(held.answer(wanted("a", 3))) == (4.0, 5.0, 6.0)
    assert held.answer(wanted("a")) is None


def test_commits_with_one_tree_share_their_launches(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    held.add("a", record((1.0, 2.0)), 1.0)
    assert held.measured() == {"a", "c"}
    assert samples_of(held.answer(wanted("c"))) == (1.0, 2.0)
    assert held.answer(wanted("a")) is None


def test_a_launch_that_is_too_short_is_no_answer(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    held.add("a", record((1.0, 2.0)), 1.0)
    assert held.answer(wanted("a", 3)) is None


def test_an_exact_metric_needs_no_samples(tmp_path: Path) -> None:
    held = shelf(tmp_path, CYCLES)
    held.add("a", record(cycles=9.0), 1.0)
    found = held.answer(wanted("a", 5))
    assert found is not None
    assert found.launch == Launch(exact={"cycles": 9.0}, overhead=1.0)


def test_a_later_run_takes_what_an_earlier_one_has_measured(tmp_path: Path) -> None:
    first = shelf(tmp_path)
    first.add("a", record((1.0, 2.0), (3.0, 4.0)), 1.0)
    assert samples_of(first.answer(wanted("a"))) == (1.0, 2.0)
    later = shelf(tmp_path)
    assert samples_of(later.answer(wanted("a"))) == (1.0, 2.0)
    assert samples_of(later.answer(wanted("a"))) == (3.0, 4.0)


def test_a_resumed_run_does_not_get_what_its_journal_has_used(tmp_path: Path) -> None:
    first = shelf(tmp_path)
    first.add("a", record((1.0, 2.0), (3.0, 4.0)), 1.0)
    used = first.answer(wanted("a", 1))
    assert used is not None
    resumed = shelf(tmp_path)
    resumed.replayed(used)
    assert samples_of(resumed.answer(wanted("a"))) == (3.0, 4.0)


def test_seeds_are_reproducible_and_never_used_twice(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    seeds = [held.seed("a"), held.seed("b")]
    held.add("a", record((1.0,)), 1.0)
    seeds.append(held.seed("a"))
    lost = ProbeOutcome(commit="a", outcome=Outcome.MEASURED, launch=Launch(samples=(9.0,)))
    held.replayed(lost)  # the cache was pruned, but the journal still holds the launch
    seeds.append(held.seed("a"))
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**62 for seed in seeds)
    assert shelf(tmp_path / "new").seed("a") == seeds[0]


def test_a_clean_probe_gets_nothing_that_was_there_before(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    held.add("a", record((1.0, 2.0)), 1.0)
    held.skip("a")
    assert held.answer(wanted("a")) is None


def test_a_failure_that_stays_is_an_answer_every_time(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    held.fail("b", Outcome.MISSING, "not there")
    for again in (held, shelf(tmp_path)):
        found = again.answer(wanted("b"))
        assert found == ProbeOutcome(commit="b", outcome=Outcome.MISSING, detail="not there")
    assert held.measured() == frozenset()


def test_the_record_is_kept_without_its_runs(tmp_path: Path) -> None:
    held = shelf(tmp_path)
    held.add("a", record((1.0,)), 1.0)
    entry = shelf(tmp_path).entry("c")
    assert entry is not None
    assert entry.record == msgspec.structs.replace(record((1.0,)), runs=())


@pytest.mark.parametrize("runs", [((1.0, 0.0),), ((1.0,), ()), ()])
def test_values_that_are_missing_or_not_above_zero_are_no_launches(
    runs: tuple[tuple[float, ...], ...],
) -> None:
    assert launches_of(record(*runs), LATENCY, 1.0) == ()


def test_the_time_of_a_child_is_shared_among_its_samples() -> None:
    launches = launches_of(record((1.0, 2.0), (3.0, 4.0)), LATENCY, 8.0)
    assert [item.seconds for item in launches] == [4.0, 4.0]
    assert shortened(launches[0], 1).seconds == 2.0


def test_a_percentile_is_judged_by_the_samples_of_its_quantity() -> None:
    assert launches_of(record((1.0, 2.0)), KNOWN_METRICS["p50_latency"], 1.0)[0].samples == (1.0, 2.0)
