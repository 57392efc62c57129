"""From what a search found to its answer: culprits with their commits, evidence, cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.bisection.answer import Answer, Culprit, Ending, Evidence
from perfgate.bisection.endpoints import launch_variance
from perfgate.bisection.probe import Candidate, Outcome
from perfgate.bisection.readings import read
from perfgate.core.metric import Kind

if TYPE_CHECKING:
    from perfgate.bisection.found import Findings, Found
    from perfgate.bisection.trail import Trail

ALMOST_SURE = 1.96  # standard errors of a 95 % interval


def answer_of(trail: Trail, findings: Findings, notes: tuple[str, ...] = ()) -> Answer:
    """The whole answer; findings without an ending name culprits."""
    culprits = tuple(culprit_of(trail, found, findings.total) for found in findings.found)
    ending = findings.ending
    if culprits and ending is not Ending.NO_DIFFERENCE:
        is_one = all(len(culprit.suspects) == 1 for culprit in culprits)
        ending = Ending.CULPRIT if is_one else Ending.RANGE
    ending = ending or Ending.UNDECIDED
    return Answer(
        ending=ending,
        culprits=culprits,
        left=left_of(trail, culprits, ending),
        total=findings.total,
        reason=findings.reason,
        evidence=evidence_of(trail),
        cost=trail.cost(),
        expected=trail.expected,
        notes=(*notes, *findings.notes),
    )


def culprit_of(trail: Trail, found: Found, total: float) -> Culprit:
    """The commits between the two neighbours, of which all but the last could not be measured."""
    candidates = trail.problem.candidates
    return Culprit(
        suspects=candidates[found.good + 1 : found.bad + 1],
        parent=candidates[found.good],
        chance=found.chance,
        step=found.step,
        share=found.step / total,
        before=found.before,
        after=found.after,
    )


def left_of(trail: Trail, culprits: tuple[Culprit, ...], ending: Ending) -> tuple[Candidate, ...]:
    """The smallest set that holds a culprit with 99 %."""
    if ending is Ending.NO_DIFFERENCE:
        return ()
    if culprits:
        return culprits[0].suspects
    candidates = trail.problem.candidates
    if trail.view is None:
        return candidates[1:]
    first, last = trail.view.left
    return candidates[first + 1 : last + 1]


def evidence_of(trail: Trail) -> tuple[Evidence, ...]:
    """Every probed commit in order, measured or not."""
    return tuple(_evidence(trail, place) for place in sorted({*trail.launches, *trail.failures}))


def _evidence(trail: Trail, place: int) -> Evidence:
    candidate = trail.problem.candidates[place]
    launches = trail.launches.get(place, [])
    if not launches:
        failure = trail.failures[place]
        return Evidence(commit=candidate, position=place, outcome=failure.outcome, detail=failure.detail)
    mean, low, high = _interval(trail, place)
    return Evidence(
        commit=candidate,
        position=place,
        outcome=Outcome.MEASURED,
        launches=len(launches),
        samples=sum(len(launch.samples) for launch in launches),
        mean=mean,
        low=low,
        high=high,
        bad_chance=trail.bad_chance(place),
    )


def _interval(trail: Trail, place: int) -> tuple[float, float, float]:
    """Mean and 95 % interval in the metric's unit."""
    problem = trail.problem
    if problem.metric.kind is Kind.EXACT:
        values = [launch.exact[problem.metric.name] for launch in trail.launches[place]]
        return math.fsum(values) / len(values), min(values), max(values)
    readings = read(trail.values)
    precision = 1.0 / (readings.noise() + launch_variance(readings))
    row = int((readings.positions == place).argmax())
    weight = float(readings.sums(precision)[row])
    mean = problem.sign() * float(readings.sums(precision * readings.means)[row]) / weight
    half = ALMOST_SURE / math.sqrt(weight)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)
