"""A copy between host and device that the model does not ask for is new, or grew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, and_more, bytes_text, worst_first
from perfgate.diagnose.signals import Matched, Signal, Signals, sum_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    grown = [matched for matched in signals.matched if _added(matched, "copied_bytes") > 0]
    return worst_first(signals, [_suspect(signals, grown)] if grown else [], limits)


def _added(matched: Matched, field: str) -> int:
    return sum_of(matched.after, field) - sum_of(matched.before, field)


def _suspect(signals: Signals, grown: list[Matched]) -> Suspect:
    """All of them are one observation, named after the operator that pays most."""
    worst = max(grown, key=lambda matched: _added(matched, "copies_ps"))
    time, size = (sum(_added(item, field) for item in grown) for field in ("copies_ps", "copied_bytes"))
    text = f"device -> host -> device: {_count_text(signals, worst, grown)}, {bytes_text(size)}"
    return Suspect(
        rule="implicit_copy",
        sentence=f"implicit copies at {and_more(worst.ref, grown)}, {text}",
        cost=signals.cost(time, size),
        operator=worst.ref,
        evidence=(Evidence(step=Step.COPIES, label="behaviour", text=f"implicit copies, {text}"),),
        remedies=(
            Remedy(
                title="remove the reason of the copy",
                risk="",
                advice="give the operator the layout and alignment that its engine takes",
            ),
        ),
    )


def _count_text(signals: Signals, worst: Matched, grown: list[Matched]) -> str:
    """Down and up again is one crossing: `280 in all, 3 of 10 per step at conv2`."""
    steps = max(1, signals.after.application.iterations)
    own, crossings = _added(worst, "copies") // 2, sum(_added(item, "copies") // 2 for item in grown)
    there = f", {own // steps} of {crossings // steps} per step at {worst.ref.name}" if len(grown) > 1 else ""
    old = "" if any(sum_of(item.before, "copies") for item in grown) else ", none in the baseline"
    return f"{crossings} in all{there}{old}"


RULE = Rule(
    id="implicit_copy",
    about="A copy between host and device that the model does not ask for is new, or grew.",
    needs=frozenset({Signal.BASELINE}),
    match=_match,
)
