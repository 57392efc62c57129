from __future__ import annotations

import math

import pytest

from perfgate.bisection.answer import Answer, Ending
from perfgate.bisection.exact import SEVERAL
from perfgate.bisection.probe import Build, Candidate, Launch, Outcome, Probe, ProbeOutcome
from perfgate.bisection.problem import Limits, Problem
from perfgate.bisection.search import VARIES, find
from perfgate.core.errors import UsageError
from perfgate.core.metric import KNOWN_METRICS


class Counted:
    """Commits with given values of copied bytes; None does not build. A clean build adds `drift`."""

    def __init__(self, values: list[float | None], *, drift: float = 0.0) -> None:
        self.values, self.drift = values, drift
        self.asked: list[Probe] = []
        self.seen: set[str] = set()

    def probe(self, wanted: Probe) -> ProbeOutcome:
        """One launch; a build when it is the first or clean."""
        self.asked.append(wanted)
        value = self.values[int(wanted.commit)]
        outcome = Outcome.BUILD_FAILED if value is None else Outcome.MEASURED
        builds: tuple[Build, ...] = ()
        if wanted.is_clean or wanted.commit not in self.seen:
            builds = (Build(commit=wanted.commit, seconds=2.0, outcome=outcome),)
        self.seen.add(wanted.commit)
        if value is None:
            return ProbeOutcome(commit=wanted.commit, outcome=outcome, builds=builds)
        shift = self.drift if wanted.is_clean else self.extra()
        launch = Launch(exact={"copied_bytes": value + shift}, overhead=1.0)
        return ProbeOutcome(commit=wanted.commit, outcome=outcome, launch=launch, builds=builds)

    def extra(self) -> float:
        """Exact values have none."""
        return 0.0

    def built(self) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def close(self) -> None:
        """Nothing runs."""


def solve(world: Counted, limits: Limits | None = None) -> Answer:
    candidates = tuple(Candidate(commit=str(place), tree=str(place)) for place in range(len(world.values)))
    problem = Problem(candidates=candidates, metric=KNOWN_METRICS["copied_bytes"], limits=limits or Limits())
    return find(problem, world)


def steps(*parts: tuple[int, float | None]) -> list[float | None]:
    return [value for count, value in parts for _ in range(count)]


@pytest.mark.parametrize("culprit", [1, 2, 333, 500, 998, 999])
def test_builds_are_at_most_the_halvings_and_two(culprit: int) -> None:
    world = Counted(steps((culprit, 0.0), (1000 - culprit, 2.4e9)))
    answer = solve(world)
    assert answer.ending is Ending.CULPRIT
    assert [item.commit for item in answer.culprits[0].suspects] == [str(culprit)]
    assert answer.culprits[0].step == 2.4e9
    clean = sum(probe.is_clean for probe in world.asked)
    assert clean == 2
    assert answer.cost.clean == 2
    assert answer.cost.builds <= math.ceil(math.log2(1000)) + 2


def test_ends_are_measured_twice() -> None:
    world = Counted(steps((4, 1.0), (4, 2.0)))
    solve(world)
    assert [probe.commit for probe in world.asked[:4]] == ["0", "7", "7", "0"]


def test_equal_ends_are_no_difference() -> None:
    answer = solve(Counted(steps((3, 1.0), (3, 2.0), (3, 1.0))))
    assert answer.ending is Ending.NO_DIFFERENCE
    assert answer.cost.builds == 2


def test_the_grid_finds_what_is_undone_later() -> None:
    answer = solve(Counted(steps((30, 1.0), (40, 2.0), (30, 1.0))), Limits(grid=8))
    assert [item.commit.commit for item in answer.culprits] == ["30"]


def test_several_changes_are_all_found_and_noted() -> None:
    answer = solve(Counted(steps((20, 1.0), (20, 3.0), (20, 8.0), (40, 4.0))))
    assert sorted(int(item.commit.commit) for item in answer.culprits) == [20, 40, 60]
    assert {item.commit.commit: item.step for item in answer.culprits} == {"20": 2.0, "40": 5.0, "60": -4.0}
    assert SEVERAL in answer.notes


def test_a_crumb_beside_the_change_is_not_searched() -> None:
    answer = solve(Counted(steps((20, 1.0), (20, 100.0), (20, 101.0))))
    assert [item.commit.commit for item in answer.culprits] == ["20"]


def test_a_broken_stretch_gives_its_range() -> None:
    answer = solve(Counted(steps((40, 1.0), (20, None), (40, 2.0))))
    assert answer.ending is Ending.RANGE
    assert [int(item.commit) for item in answer.culprits[0].suspects] == list(range(40, 61))


def test_a_clean_build_with_another_value_leaves_it_undecided() -> None:
    answer = solve(Counted(steps((20, 1.0), (20, 2.0)), drift=0.1))
    assert answer.ending is Ending.UNDECIDED
    assert "clean build" in answer.reason


class Varying(Counted):
    """Declared exact, but every launch differs by up to 1 %."""

    def extra(self) -> float:
        """A fixed sequence without a trend."""
        return 0.01 * math.sin(7.0 * len(self.asked))


def test_a_metric_that_varies_is_searched_as_a_sampled_one() -> None:
    answer = solve(Varying(steps((20, 1.0), (20, 1.2))))
    assert answer.notes[0] == VARIES
    assert [item.commit.commit for item in answer.culprits] == ["20"]


def test_a_varying_metric_with_zeros_is_refused() -> None:
    with pytest.raises(UsageError, match="varies and is zero at times"):
        solve(Varying(steps((20, -0.005), (20, 1.2))))  # .0016 at first, -.0023 the second time
