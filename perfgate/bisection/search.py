"""The search as a generator: it yields the probe it wants, takes the outcome, and returns the answer."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, TypeAlias

from perfgate.bisection.probe import Probe, ProbeOutcome

if TYPE_CHECKING:
    from perfgate.bisection.answer import Answer
    from perfgate.bisection.probe import Prober
    from perfgate.bisection.problem import Problem

Steps: TypeAlias = "Generator[Probe, ProbeOutcome | None, Answer]"


def search(problem: Problem) -> Steps:
    """Find the commits that made the wanted change; `None` for an outcome means: stop now and answer.

    Start it with `next`, then `send` outcomes; the answer is the value of `StopIteration`. To resume, send
    the journal's outcomes first and compare each one's commit with the probe that was asked.

    Raises:
        UsageError: the problem cannot be searched, or an end point cannot be built or measured.
    """
    raise NotImplementedError


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
