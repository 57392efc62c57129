"""The prober with a made-up preparer; `tests/e2e/test_bisect.py` runs it with real ones."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from perfgate.bisection.child import Limits
from perfgate.bisection.measurement import Target
from perfgate.bisection.preparation import Prepared, Task
from perfgate.bisection.probe import Build, Outcome, Probe, Progress, Purpose
from perfgate.bisection.probe_cache import ProbeCache
from perfgate.bisection.prober import DRAWN_RUNS, MirrorProber
from perfgate.bisection.shelf import Shelf, Subject
from perfgate.core.errors import UsageError
from tests.unit.bisection.test_shelf import LATENCY, TREES, key, record

if TYPE_CHECKING:
    from perfgate.bisection.builder import Builder
    from perfgate.bisection.measurement import Draw
    from perfgate.bisection.preparation import Preparer
    from perfgate.core.metric import Metric


@dataclass
class FakeBuilder:
    """Remembers what is to be built from nothing."""

    token: str = "mark of no process"  # noqa: S105 - no secret
    forgotten: list[str] = field(default_factory=list)
    built_commits: set[str] = field(default_factory=set)
    is_stopped: bool = False

    def built(self, commit: str) -> Path | None:
        return Path("/tree") if commit in self.built_commits else None

    def forget(self, commit: str) -> None:
        self.forgotten.append(commit)

    def start(self) -> None:
        self.is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True


@dataclass
class FakePreparer:
    """Measures every commit with a draw of its own; `failing` ones fail."""

    failing: dict[str, Outcome] = field(default_factory=dict)
    asked: list[tuple[str, int, int]] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)

    def prepare(self, commit: str, draw: Draw | None) -> Prepared:
        self.threads.add(threading.current_thread().name)
        self.asked.append((commit, 0 if draw is None else draw.runs, 0 if draw is None else draw.samples))
        outcome = self.failing.get(commit, Outcome.MEASURED)
        builds = (Build(commit=commit, seconds=2.0, outcome=outcome),)
        if outcome is not Outcome.MEASURED or draw is None:
            return Prepared(commit=commit, builds=builds, outcome=outcome, detail="why")
        runs = [
            tuple(float(draw.seed % 97 + run + 1) for _ in range(draw.samples)) for run in range(draw.runs)
        ]
        return Prepared(commit=commit, builds=builds, outcome=outcome, record=record(*runs), seconds=1.0)


@dataclass
class World:
    """A prober and the fakes behind it."""

    prober: MirrorProber
    builder: FakeBuilder
    preparer: FakePreparer


def world(folder: Path, *, is_simulated: bool = True, metric: Metric = LATENCY, jobs: int = 1) -> World:
    task = Task(
        target=Target(benchmark="b", device="d", compiled=folder),
        metric=metric,
        is_simulated=is_simulated,
        has_setup=not is_simulated,
        limits=Limits(seconds=1),
        jobs=jobs,
    )
    builder, preparer = FakeBuilder(), FakePreparer()
    shelf = Shelf(Subject(trees=TREES, key=key, metric=metric), ProbeCache(folder))
    # The fakes have the methods that the prober calls.
    prober = MirrorProber(task, cast("Builder", builder), cast("Preparer", preparer), shelf)
    return World(prober, builder, preparer)


def wanted(commit: str, samples: int = 3, *, is_clean: bool = False, ahead: tuple[str, ...] = ()) -> Probe:
    progress = Progress(left=0, bad_chance=0.5, builds=0, samples=0)
    return Probe(
        commit=commit,
        samples=samples,
        purpose=Purpose.SEARCH,
        progress=progress,
        is_clean=is_clean,
        ahead=ahead,
    )


def test_one_child_of_the_simulator_draws_several_launches(tmp_path: Path) -> None:
    made = world(tmp_path)
    outcomes = [made.prober.probe(wanted("a")) for _ in range(DRAWN_RUNS)]
    assert len(made.preparer.asked) == 1
    assert [len(item.builds) for item in outcomes] == [1, *[0] * (DRAWN_RUNS - 1)]
    assert len({item.launch.samples for item in outcomes if item.launch}) == DRAWN_RUNS
    made.prober.probe(wanted("a"))
    assert len(made.preparer.asked) == 2
    made.prober.close()


def test_a_timed_launch_is_a_child_of_its_own_with_the_samples_asked_for(tmp_path: Path) -> None:
    made = world(tmp_path, is_simulated=False)
    made.prober.probe(wanted("a", 5))
    made.prober.probe(wanted("a", 8))
    assert made.preparer.asked == [("a", 1, 5), ("a", 1, 8)]
    made.prober.close()


def test_a_clean_probe_builds_from_nothing(tmp_path: Path) -> None:
    made = world(tmp_path)
    first = made.prober.probe(wanted("a"))
    again = made.prober.probe(wanted("a", is_clean=True))
    assert made.builder.forgotten == ["a"]
    assert len(again.builds) == 1
    assert again.launch != first.launch
    made.prober.close()


@pytest.mark.parametrize("outcome", [Outcome.BUILD_FAILED, Outcome.MISSING, Outcome.UNFIT])
def test_a_failure_of_the_simulator_is_kept_for_later_runs(tmp_path: Path, outcome: Outcome) -> None:
    made = world(tmp_path)
    made.preparer.failing["b"] = outcome
    found = made.prober.probe(wanted("b"))
    assert (found.outcome, found.detail, found.launch) == (outcome, "why", None)
    later = world(tmp_path)
    assert later.prober.probe(wanted("b")).outcome is outcome
    assert later.preparer.asked == []
    for item in (made, later):
        item.prober.close()


@pytest.mark.parametrize("outcome", [Outcome.TIMED_OUT, Outcome.CRASHED])
def test_a_failure_that_may_pass_is_tried_again_by_a_later_run(tmp_path: Path, outcome: Outcome) -> None:
    made = world(tmp_path)
    made.preparer.failing["b"] = outcome
    made.prober.probe(wanted("b"))
    later = world(tmp_path)
    assert later.prober.probe(wanted("b")).outcome is Outcome.MEASURED
    for item in (made, later):
        item.prober.close()


def test_what_is_likely_next_is_prepared_beside_and_reported_once(tmp_path: Path) -> None:
    made = world(tmp_path, jobs=2)
    made.prober.probe(wanted("a", ahead=("b",)))
    second = made.prober.probe(wanted("b"))
    assert [item.commit for item in second.builds] == ["b"]
    assert sorted(item[0] for item in made.preparer.asked) == ["a", "b"]
    assert len(made.preparer.threads) == 2
    made.prober.close()


def test_ahead_of_a_timed_launch_only_builds_are_made(tmp_path: Path) -> None:
    made = world(tmp_path, is_simulated=False, jobs=2)
    made.prober.probe(wanted("a", ahead=("b",)))
    assert sorted(made.preparer.asked) == [("a", 1, 3), ("b", 0, 0)]
    made.prober.close()


def test_a_failure_ahead_is_the_answer_when_it_is_asked_for(tmp_path: Path) -> None:
    made = world(tmp_path, is_simulated=False, jobs=2)
    made.preparer.failing["b"] = Outcome.BUILD_FAILED
    made.prober.probe(wanted("a", ahead=("b",)))
    found = made.prober.probe(wanted("b"))
    assert found.outcome is Outcome.BUILD_FAILED
    assert [item[0] for item in made.preparer.asked].count("b") == 1
    made.prober.close()


def test_closing_stops_the_builder(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.prober.close()
    assert made.builder.is_stopped


def test_a_cache_that_cannot_be_written_ends_the_run_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(UsageError, match=r"no space left on device.*--resume"):
        made.prober.probe(wanted("a"))
    made.prober.close()
