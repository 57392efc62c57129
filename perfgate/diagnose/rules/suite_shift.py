"""Half of the suite moved by one factor: the machine or its environment, not this change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.units import percent
from perfgate.diagnose.evidence import Step, worst_first
from perfgate.diagnose.signals import Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    before = signals.amount - signals.delta
    if before <= 0 or not signals.suite:
        return ()
    own = signals.amount / before
    alike = [ratio for ratio in signals.suite.values() if abs(ratio / own - 1) <= limits["same_factor"]]
    is_moved = own - 1 >= limits["least_share"] and len(alike) >= limits["least_alike"]
    if not is_moved or len(alike) < len(signals.suite) * limits["least_suite"]:
        return ()
    return worst_first(signals, [_suspect(signals, own, len(alike))], limits)


def _suspect(signals: Signals, own: float, alike: int) -> Suspect:
    others = 0 if signals.suite is None else len(signals.suite)
    moved = f"{alike} of {others} other benchmarks moved alike, {percent(own - 1)}"
    text = f"{moved}: the environment, not this change"
    return Suspect(
        rule="suite_shift",
        sentence=text,
        cost=signals.delta,
        evidence=(Evidence(step=Step.CONFIGURATION, label="suite", text=text),),
        remedies=(
            Remedy(
                title="measure again",
                risk="none",
                advice="run the suite again on an idle machine; check clock, cooling, driver and libraries",
            ),
        ),
    )


RULE = Rule(
    id="suite_shift",
    about="At least half of the suite moved by one factor: the environment, not this change.",
    needs=frozenset({Signal.BASELINE, Signal.SUITE}),
    match=_match,
)
