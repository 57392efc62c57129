"""The loop of a bisection: what the search wants, from the journal first, then from the prober."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from perfgate.bisection.journal import Line
from perfgate.bisection.probe import Outcome
from perfgate.bisection.search import search
from perfgate.core.errors import UnusableError, UsageError
from perfgate.workflow.interruption import InterruptedRunError

if TYPE_CHECKING:
    from perfgate.bisection.answer import Answer
    from perfgate.bisection.journal import Journal
    from perfgate.bisection.probe import Probe, ProbeOutcome
    from perfgate.bisection.prober import MirrorProber
    from perfgate.bisection.problem import Problem
    from perfgate.workflow.interruption import Interruption

LEAST_PROBED = 6  # commits; fewer say nothing about a share
UNFIT_SHARE = 1 / 3  # of probed commits on which the benchmark cannot work: then the range is the mistake


class Listener(Protocol):
    """Told what is asked and what came of it."""

    def asked(self, problem: Problem, wanted: Probe) -> None:
        """Before a probe."""

    def answered(self, wanted: Probe, outcome: ProbeOutcome) -> None:
        """After a probe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """What a search runs with."""

    prober: MirrorProber
    journal: Journal
    listener: Listener
    interruption: Interruption


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """The answer, after a signal what was known by then. `replayed` probes came out of the journal."""

    answer: Answer
    replayed: int


def drive(problem: Problem, run: Drive) -> Driven:
    """Search to the end, or to a signal.

    Raises:
        UsageError: an end cannot be measured, or the benchmark does not fit most of the range.
        UnusableError: the journal is not that of this search.
    """
    steps = search(problem)
    fit = _Fit(problem)
    number = 0
    try:
        wanted = next(steps)
        for number, line in enumerate(run.journal.lines, 1):
            if (line.wanted.commit, line.wanted.is_clean) != (wanted.commit, wanted.is_clean):
                where = f"{run.journal.path}:{number + 1}"
                remedy = "run without --resume; what was measured is still in the cache"
                raise UnusableError("the journal does not lead where it led", where, remedy)
            run.prober.replayed(line.outcome)
            fit.note(line.outcome)
            wanted = steps.send(line.outcome)
        while True:
            outcome = None
            run.listener.asked(problem, wanted)
            with suppress(InterruptedRunError), run.interruption.may_raise():
                outcome = run.prober.probe(wanted)
            if outcome is not None:
                run.journal.append(Line(wanted=wanted, outcome=outcome))
                run.listener.answered(wanted, outcome)
                fit.note(outcome)
            wanted = steps.send(outcome)
    except StopIteration as stop:
        return Driven(answer=stop.value, replayed=number)


class _Fit:
    """How many commits the benchmark works on at all."""

    def __init__(self, problem: Problem) -> None:
        self._order = {item.commit: place for place, item in enumerate(problem.candidates)}
        self._outcomes: dict[str, Outcome] = {}
        self._detail = ""

    def note(self, outcome: ProbeOutcome) -> None:
        """Count it; stop when the benchmark does not fit a third of the range.

        Raises:
            UsageError: with the first commit from which it fits.
        """
        self._outcomes[outcome.commit] = outcome.outcome
        self._detail = outcome.detail if outcome.outcome is Outcome.UNFIT else self._detail
        unfit = [commit for commit, what in self._outcomes.items() if what is Outcome.UNFIT]
        if len(self._outcomes) < LEAST_PROBED or len(unfit) <= UNFIT_SHARE * len(self._outcomes):
            return
        last = max(self._order[commit] for commit in unfit)
        later = [commit for commit in self._outcomes if self._order[commit] > last]
        first = min(later, key=lambda commit: self._order[commit], default="")
        what = f"the benchmark does not fit {len(unfit)} of {len(self._outcomes)} commits, {self._detail}"
        remedy = f"begin at {first[:12]}, from which it fits" if first else "use --benchmark-from each"
        raise UsageError(what, "--good", remedy)
