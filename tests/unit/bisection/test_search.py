from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.answer import Answer, Ending
from perfgate.bisection.probe import Launch, Outcome, Probe, ProbeOutcome, Purpose
from perfgate.bisection.problem import Limits, Problem, Wanted
from perfgate.bisection.search import find, search
from perfgate.core.errors import UsageError
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground, World

if TYPE_CHECKING:
    from perfgate.bisection.probe import Candidate

LATENCY = KNOWN_METRICS["latency"]
GROUND = Ground(commits=200, steps=((120, 0.05),))
Answering = Callable[[Probe], ProbeOutcome]


def problem_of(ground: Ground, **more: object) -> Problem:
    return Problem(candidates=ground.candidates(), metric=LATENCY, **more)  # type: ignore[arg-type]  # options of the test


def solve(ground: Ground, seed: int = 1, **more: object) -> tuple[Answer, World]:
    world = World(ground=ground, seed=seed)
    return find(problem_of(ground, **more), world), world


def places(found: tuple[Candidate, ...]) -> list[int]:
    return [int(candidate.commit) for candidate in found]


def test_the_culprit_is_named_and_confirmed_by_fresh_launches() -> None:
    answer, world = solve(GROUND)
    (culprit,) = answer.culprits
    assert answer.ending is Ending.CULPRIT
    assert places(culprit.suspects) == [120]
    assert int(culprit.parent.commit) == 119
    assert culprit.chance >= 0.999
    assert culprit.step == pytest.approx(math.log(1.05), abs=0.03)  # three errors of about .01
    confirming = [probe for probe in world.asked if probe.purpose is Purpose.CONFIRM]
    assert len(culprit.before) == len(culprit.after) == 2
    assert [int(probe.commit) for probe in confirming[:4]] in ([119, 120, 120, 119], [120, 119, 119, 120])


def test_unchanged_ends_are_no_difference_after_two_builds() -> None:
    answer, _ = solve(Ground(commits=200))
    assert answer.ending is Ending.NO_DIFFERENCE
    assert answer.culprits == ()
    assert answer.cost.builds == 2
    assert "samples at each end" in answer.reason


def test_an_improvement_is_no_regression() -> None:
    ground = Ground(commits=200, steps=((120, -0.05),))
    answer, _ = solve(ground)
    assert answer.ending is Ending.NO_DIFFERENCE
    assert answer.reason == "the bad end is the better one"
    improved, _ = solve(ground, wanted=Wanted.IMPROVED)
    assert places(improved.culprits[0].suspects) == [120]
    assert improved.culprits[0].step > 0


def test_broken_commits_before_the_culprit_make_a_range() -> None:
    answer, _ = solve(replace(GROUND, broken=frozenset({118, 119, 120})))
    assert answer.ending is Ending.RANGE
    assert places(answer.culprits[0].suspects) == [118, 119, 120, 121]
    assert places(answer.left) == [118, 119, 120, 121]


def test_both_of_two_culprits_are_found_with_their_shares() -> None:
    answer, _ = solve(Ground(commits=200, steps=((50, 0.05), (150, 0.05)), noise=0.01))
    assert sorted(places(culprit.suspects)[0] for culprit in answer.culprits) == [50, 150]
    assert sum(culprit.share for culprit in answer.culprits) == pytest.approx(1.0, abs=0.2)


def test_the_chance_of_a_second_culprit_holds_the_doubt_that_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("perfgate.bisection.residual.chance_of_step", lambda _trail, _top, **_: 0.995)
    answer, _ = solve(Ground(commits=200, steps=((60, 0.04), (140, 0.08))))
    assert len(answer.culprits) == 2
    lower, upper = sorted(culprit.chance for culprit in answer.culprits)
    assert 0.995 * 0.999 <= lower <= 0.995
    assert upper >= 0.999


def test_a_step_that_is_undone_is_found_by_the_grid_only() -> None:
    ground = Ground(commits=200, steps=((50, 0.10), (150, 1 / 1.10 - 1)))
    assert solve(ground)[0].ending is Ending.NO_DIFFERENCE
    answer, _ = solve(ground, limits=Limits(grid=8))
    assert places(answer.culprits[0].suspects) == [50]
    assert answer.notes == ("the change is undone before the bad end",)


def test_a_spent_budget_ends_with_the_smallest_set() -> None:
    answer, world = solve(GROUND, limits=Limits(samples=80))
    assert answer.ending is Ending.UNDECIDED
    assert answer.reason == "the budget is spent"
    assert answer.cost.samples <= 80
    assert 120 in places(answer.left)
    assert any(probe.progress.is_over_budget for probe in world.asked)


def test_the_estimate_is_said_before_the_search() -> None:
    _, world = solve(GROUND)
    first = next(probe for probe in world.asked if probe.purpose is Purpose.SEARCH)
    assert first.progress.expected_samples > first.progress.samples
    assert first.progress.expected_builds >= 2 + math.log2(199)


def test_an_interrupt_is_answered_with_what_is_known() -> None:
    steps = search(problem_of(GROUND))
    world = World(ground=GROUND, seed=1)
    wanted = next(steps)
    for _ in range(8):
        wanted = steps.send(world.probe(wanted))
    with pytest.raises(StopIteration) as stop:
        steps.send(None)
    assert stop.value.value.ending is Ending.UNDECIDED
    assert stop.value.value.reason == "stopped before the end"


def test_workers_are_told_what_to_build_ahead() -> None:
    answer, world = solve(GROUND, limits=Limits(jobs=2))
    assert places(answer.culprits[0].suspects) == [120]
    assert all(len(probe.ahead) <= 1 for probe in world.asked)
    assert world.asked[0].ahead == ("0000199",)


def test_evidence_lists_all_probed_commits_in_order() -> None:
    answer, _ = solve(replace(GROUND, broken=frozenset({100, 99, 101})))
    positions = [line.position for line in answer.evidence]
    assert positions == sorted(positions)
    assert {line.outcome for line in answer.evidence} == {Outcome.MEASURED, Outcome.BUILD_FAILED}
    good = answer.evidence[0]
    assert good.mean == pytest.approx(1.0, abs=0.03)
    assert good.low is not None
    assert good.high is not None
    assert good.low < good.mean < good.high  # type: ignore[operator]  # checked above


class Faulty:
    """A world in which one commit fails from some launch on."""

    def __init__(self, place: int, after: int, outcome: Outcome) -> None:
        self.world = World(ground=GROUND, seed=1)
        self.place, self.left, self.outcome = place, after, outcome

    def probe(self, wanted: Probe) -> ProbeOutcome:
        """As the world, until the commit has had its launches."""
        if int(wanted.commit) == self.place:
            self.left -= 1
            if self.left < 0:
                return ProbeOutcome(commit=wanted.commit, outcome=self.outcome)
        return self.world.probe(wanted)

    def built(self) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def close(self) -> None:
        """Nothing runs."""


@pytest.mark.parametrize("place", [0, 199])
def test_an_end_that_does_not_build_is_a_usage_error(place: int) -> None:
    with pytest.raises(UsageError, match="end cannot be measured: build failed"):
        find(problem_of(GROUND), Faulty(place, 0, Outcome.BUILD_FAILED))


def test_a_crash_at_the_bad_end_is_to_be_bisected_itself() -> None:
    with pytest.raises(UsageError, match="--bisect-exit"):
        find(problem_of(GROUND), Faulty(199, 0, Outcome.CRASHED))


def test_a_commit_that_fails_after_it_was_measured_ends_the_search() -> None:
    answer = find(problem_of(GROUND), Faulty(119, 1, Outcome.TIMED_OUT))
    assert answer.ending is Ending.UNDECIDED
    assert "was measured before and fails now: timed out" in answer.reason


def test_values_that_are_no_numbers_are_a_crash() -> None:
    class Broken(Faulty):
        """Zeros at one commit."""

        def probe(self, wanted: Probe) -> ProbeOutcome:
            outcome = self.world.probe(wanted)
            if int(wanted.commit) != self.place or outcome.launch is None:
                return outcome
            return ProbeOutcome(
                commit=wanted.commit,
                outcome=outcome.outcome,
                launch=Launch(samples=(0.0,)),
                builds=outcome.builds,
            )

    answer = find(problem_of(GROUND), Broken(120, 0, Outcome.MEASURED))
    assert answer.ending is Ending.RANGE
    assert places(answer.culprits[0].suspects) == [120, 121]


def test_one_commit_or_a_far_percentile_cannot_be_searched() -> None:
    with pytest.raises(UsageError, match="two different commits"):
        next(search(problem_of(Ground(commits=1))))
    problem = Problem(candidates=GROUND.candidates(), metric=KNOWN_METRICS["p99_latency"])
    with pytest.raises(UsageError, match="far percentile"):
        next(search(problem))
