"""Compilation inside the measured runs, or more compiled shapes that every launch has to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, time_text, worst_first
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Application
    from perfgate.diagnose.signals import Signals

_NONE = 0


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    before = None if signals.before is None else signals.before.application
    after = signals.after.application
    found = []
    compiling = after.compile_ps - (before.compile_ps if before else _NONE)
    if after.compiles > (before.compiles if before else _NONE):
        text = f"{after.compiles} compilations inside the measured runs, {time_text(after.compile_ps)}"
        found.append(_suspect(text, signals.cost(compiling)))
    if before is not None and after.programs > before.programs:
        found.append(_more_shapes(signals, before))
    return worst_first(signals, found, limits)


def _more_shapes(signals: Signals, before: Application) -> Suspect:
    """Every launch looks its shape up, and calls that fit no shape exactly compute padding."""
    after = signals.after
    old = _NONE if signals.before is None else signals.before.parts.dispatch_ps
    padded = after.application.total_ps - before.total_ps
    dispatch = after.parts.dispatch_ps - old
    text = (
        f"compiled shapes {before.programs} -> {after.application.programs}: launches take"
        f" {time_text(dispatch)} longer, the whole {time_text(padded)}"
    )
    return _suspect(text, signals.cost(dispatch))


def _suspect(text: str, cost: int) -> Suspect:
    advice = Remedy(
        title="fix the list of shapes",
        risk="calls with another shape are refused or padded",
        advice="list exactly the shapes that occur, or compile for one; warm every shape up before measuring",
    )
    return Suspect(
        rule="recompile",
        sentence=text,
        cost=cost,
        evidence=(Evidence(step=Step.CONFIGURATION, label="compiled shapes", text=text),),
        remedies=(advice,),
    )


RULE = Rule(
    id="recompile",
    about="Compilation happens inside the measured runs, or there are more compiled shapes to choose from.",
    needs=frozenset(),
    match=_match,
)
