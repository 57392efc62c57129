"""The search as a generator: it yields the probe it wants, takes the outcome, and returns the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.bisection.answer import Ending
from perfgate.bisection.exact import is_steady, search_exact
from perfgate.bisection.found import Findings
from perfgate.bisection.probe import Outcome
from perfgate.bisection.sampled import search_sampled
from perfgate.bisection.summary import answer_of
from perfgate.bisection.trail import StopSearch, Trail
from perfgate.core.errors import UsageError
from perfgate.core.metric import Kind

if TYPE_CHECKING:
    from perfgate.bisection.answer import Answer
    from perfgate.bisection.probe import Prober
    from perfgate.bisection.problem import Problem
    from perfgate.bisection.trail import Asking

VARIES = "declared exact but varies: searched as a sampled metric"


def search(problem: Problem) -> Asking[Answer]:
    """Find the commits that made the wanted change; `None` for an outcome means: stop now and answer.

    Start it with `next`, then `send` outcomes; the answer is the value of `StopIteration`. To resume, send
    the journal's outcomes first and compare each one's commit with the probe that was asked.

    Raises:
        UsageError: the problem cannot be searched, or an end point cannot be built or measured.
    """
    problem.check()
    trail = Trail(problem)
    notes: tuple[str, ...] = ()
    try:
        if problem.metric.kind is Kind.EXACT:
            is_exact = yield from is_steady(trail)
            refuse_broken_ends(trail)
            if is_exact:
                return answer_of(trail, (yield from search_exact(trail)))
            refuse_zeros(trail)
            notes = (VARIES,)
        findings = yield from search_sampled(trail)
        refuse_broken_ends(trail)
    except StopSearch as stop:
        refuse_broken_ends(trail)
        findings = Findings(ending=Ending.UNDECIDED, found=tuple(trail.found), reason=str(stop))
    return answer_of(trail, findings, notes)


def find(problem: Problem, prober: Prober) -> Answer:
    """Search with a prober to the end: the plainest driver, without journal or progress."""
    steps = search(problem)
    wanted = next(steps)
    while True:
        try:
            wanted = steps.send(prober.probe(wanted))
        except StopIteration as stop:
            answer: Answer = stop.value
            return answer


def refuse_broken_ends(trail: Trail) -> None:
    """An end that cannot be measured leaves nothing to compare with.

    Raises:
        UsageError: with the remedy for the kind of failure.
    """
    ends = {0: "good", len(trail.problem.candidates) - 1: "bad"}
    for place, name in ends.items():
        failure = trail.failures.get(place)
        if failure is None or trail.launches.get(place):
            continue
        remedy = f"give another {name} commit, or the missing step with --setup"
        if failure.outcome is Outcome.CRASHED and name == "bad":
            remedy = "bisect the crash itself with `git bisect run` and `perfgate check --bisect-exit`"
        detail = f" ({failure.detail})" if failure.detail else ""
        raise UsageError(
            f"the {name} end cannot be measured: {failure.outcome}{detail}", failure.commit, remedy
        )


def refuse_zeros(trail: Trail) -> None:
    """A varying metric needs logarithms.

    Raises:
        UsageError: one of its values is not above zero.
    """
    ends = (0, len(trail.problem.candidates) - 1)
    if any(len(trail.values.get(place, ())) < len(trail.launches[place]) for place in ends):
        metric = trail.problem.metric.name
        raise UsageError("an exact metric varies and is zero at times", metric, "bisect another metric")
