"""A copy between host and device that the model does not ask for is new, or grew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, worst_first
from perfgate.diagnose.signals import Matched, Signal, Signals, sum_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    found = [_suspect(signals, matched) for matched in signals.matched if _grew(matched)]
    return worst_first(signals, found, limits)


def _grew(matched: Matched) -> bool:
    return sum_of(matched.after, "copied_bytes") > sum_of(matched.before, "copied_bytes")


def _suspect(signals: Signals, matched: Matched) -> Suspect:
    copies = sum_of(matched.after, "copies") - sum_of(matched.before, "copies")
    size = sum_of(matched.after, "copied_bytes") - sum_of(matched.before, "copied_bytes")
    time = sum_of(matched.after, "copies_ps") - sum_of(matched.before, "copies_ps")
    steps = max(1, signals.after.application.iterations)
    # Down and up again is one crossing.
    text = f"device -> host -> device, {max(1, copies // 2 // steps)} per step, {size:,} B in all"
    return Suspect(
        rule="implicit_copy",
        sentence=f"implicit copies at {matched.ref.name}: {text}",
        cost=signals.cost(time, size),
        operator=matched.ref,
        evidence=(Evidence(step=Step.COPIES, label="behaviour", text=text),),
        remedies=(
            Remedy(
                title="remove the reason of the copy",
                risk="",
                advice="give the operator the layout and alignment that its engine takes",
            ),
        ),
    )


RULE = Rule(
    id="implicit_copy",
    about="A copy between host and device that the model does not ask for is new, or grew.",
    needs=frozenset({Signal.BASELINE}),
    match=_match,
)
