"""Builds and launches with made-up ones; the real launch is in `test_measurement.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from perfgate.bisection import preparation
from perfgate.bisection.builder import Built
from perfgate.bisection.child import Limits
from perfgate.bisection.measurement import Draw, Measurement, Target
from perfgate.bisection.preparation import FIRST_TIMEOUT, LEAST_TIMEOUT, Preparer, Task
from perfgate.bisection.probe import Outcome
from tests.unit.bisection.test_shelf import LATENCY, record

if TYPE_CHECKING:
    from perfgate.bisection.builder import Builder
    from perfgate.bisection.surroundings import Surroundings
    from perfgate.core.record import Record

DRAW = Draw(runs=1, samples=2, seed=3)
GOOD = record((1.0, 2.0))


@dataclass
class FakeBuilder:
    """Builds everything but `broken`."""

    broken: set[str] = field(default_factory=set)
    trees: dict[str, Path] = field(default_factory=dict)
    builds: list[str] = field(default_factory=list)
    checks: int = 0

    def built(self, commit: str) -> Path | None:
        return self.trees.get(commit)

    def build(self, commit: str) -> Built:
        self.builds.append(commit)
        if commit in self.broken:
            return Built(commit=commit, seconds=1.0, outcome=Outcome.BUILD_FAILED, detail="make: error")
        self.trees[commit] = Path(f"/tree/{commit}")
        return Built(commit=commit, seconds=1.0, tree=self.trees[commit])

    def forget(self, commit: str) -> None:
        self.trees.pop(commit, None)

    def check_space(self) -> None:
        self.checks += 1


@dataclass
class World:
    """A preparer, its builder, and the launches that will come out, in order."""

    preparer: Preparer
    builder: FakeBuilder
    launches: list[Measurement]
    limits: list[float]


def world(
    monkeypatch: pytest.MonkeyPatch, *launches: Measurement, simulated: bool = False, timeout: float = 0
) -> World:
    task = Task(
        target=Target(benchmark="b", device="d", compiled=Path("/compiled")),
        metric=LATENCY,
        is_simulated=simulated,
        has_setup=False,
        limits=Limits(seconds=timeout),
    )
    builder = FakeBuilder()
    queue, limits = list(launches), []

    def measure(_tree: Path, _target: Target, _draw: Draw, _around: object, given: Limits) -> Measurement:
        limits.append(given.seconds)
        return queue.pop(0)

    monkeypatch.setattr(preparation, "measure", measure)
    around = cast("Surroundings", None)  # only handed on to the launch
    return World(Preparer(task, cast("Builder", builder), around), builder, queue, limits)


def measured(found: Record = GOOD, seconds: float = 1.0) -> Measurement:
    return Measurement(outcome=Outcome.MEASURED, seconds=seconds, record=found)


def failed(outcome: Outcome) -> Measurement:
    return Measurement(outcome=outcome, seconds=1.0, detail="why")


def test_a_commit_is_built_once_and_launched_again_without(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, measured(), measured())
    first, second = (made.preparer.prepare("a", DRAW) for _ in range(2))
    assert (first.record, first.seconds) == (GOOD, 1.0)
    assert (len(first.builds), len(second.builds)) == (1, 0)


def test_a_launch_that_fails_is_tried_once_more_on_a_new_build(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, failed(Outcome.CRASHED), measured())
    done = made.preparer.prepare("a", DRAW)
    assert done.outcome is Outcome.MEASURED
    assert [item.outcome for item in done.builds] == [Outcome.MEASURED, Outcome.MEASURED]
    assert made.builder.checks == 1  # a full disk would have been told from a crash


def test_two_failures_are_the_outcome_and_fail_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, failed(Outcome.TIMED_OUT), failed(Outcome.CRASHED))
    done = made.preparer.prepare("a", DRAW)
    assert (done.outcome, done.detail, done.record) == (Outcome.CRASHED, "why", None)
    assert [item.outcome for item in done.builds] == [Outcome.MEASURED, Outcome.CRASHED]


@pytest.mark.parametrize("outcome", [Outcome.BUILD_FAILED, Outcome.MISSING, Outcome.UNFIT])
def test_the_simulator_fails_alike_on_the_same_files(
    monkeypatch: pytest.MonkeyPatch, outcome: Outcome
) -> None:
    made = world(monkeypatch, failed(outcome), simulated=True)
    assert made.preparer.prepare("a", DRAW).outcome is outcome
    assert made.builder.builds == ["a"]


def test_a_failed_build_is_not_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch)
    made.builder.broken.add("a")
    done = made.preparer.prepare("a", DRAW)
    assert (done.outcome, done.detail) == (Outcome.BUILD_FAILED, "make: error")
    assert made.builder.builds == ["a"]  # the builder itself tries twice


def test_without_a_draw_it_is_only_built(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch)
    done = made.preparer.prepare("a", None)
    assert (done.outcome, done.record) == (Outcome.MEASURED, None)


def test_the_first_launch_sets_the_time_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(monkeypatch, measured(seconds=20.0), measured(), measured(seconds=1.0))
    for commit in ("a", "b", "c"):
        made.preparer.prepare(commit, DRAW)
    assert made.limits == [FIRST_TIMEOUT, 200.0, 200.0]
    quick = world(monkeypatch, measured(seconds=0.1), measured())
    for commit in ("a", "b"):
        quick.preparer.prepare(commit, DRAW)
    assert quick.limits[1] == LEAST_TIMEOUT
    given = world(monkeypatch, measured(), timeout=7.0)
    given.preparer.prepare("a", DRAW)
    assert given.limits == [7.0]


def test_other_inputs_are_another_ruler(monkeypatch: pytest.MonkeyPatch) -> None:
    other = msgspec.structs.replace(
        GOOD, ruler=msgspec.structs.replace(GOOD.ruler, inputs={"x": "float32[8]"})
    )
    made = world(monkeypatch, measured(), measured(other), simulated=True)
    made.preparer.prepare("a", DRAW)
    done = made.preparer.prepare("b", DRAW)
    assert done.outcome is Outcome.UNFIT
    assert "float32[8]" in done.detail
