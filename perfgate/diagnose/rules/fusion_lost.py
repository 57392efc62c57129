"""Operators that ran in one kernel run in several; the pass log says who is in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, and_more, worst_first
from perfgate.diagnose.signals import Signal, Signals
from perfgate.diagnose.splits import find_splits
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.diagnose.splits import Split

_SWITCHED_OFF = "switched-off"


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    groups: dict[tuple[str, str, str], list[Split]] = {}
    for split in find_splits(signals):
        groups.setdefault((split.kernel, split.code, split.blocking_op), []).append(split)
    return worst_first(signals, [_suspect(signals, group) for group in groups.values()], limits)


def _suspect(signals: Signals, group: list[Split]) -> Suspect:
    worst = max(group, key=lambda item: item.time_ps)
    return Suspect(
        rule="fusion_lost",
        sentence=f"{worst.kernel} split at {and_more(worst.matched.ref, group)}: {worst.reason}",
        cost=signals.cost(sum(item.time_ps for item in group)),
        operator=worst.matched.ref,
        evidence=(Evidence(step=Step.PASS_LOG, label="fusion refused", text=worst.reason),),
        remedies=_remedies(worst),
    )


def _remedies(split: Split) -> tuple[Remedy, ...]:
    if split.code == _SWITCHED_OFF:
        settings = tuple([
            NewSetting(kind=DifferenceKind.FLAG, name=name, value=None)
            for name in ("--fusion_switch_file", "--disable_pass")
        ])  # fmt: skip
        return (Remedy(title="switch the fusions on", risk="none, same numerics", settings=settings),)
    advice = (
        f"replace {split.blocking_op} by an operator that the fusion knows, or export it as one"
        if split.blocking_op
        else "compare the pass logs of both versions"
    )
    return (Remedy(title="replace the blocking operator", risk="check the output difference", advice=advice),)


RULE = Rule(
    id="fusion_lost",
    about="Operators that ran in one kernel run in several; the pass log holds the refusal.",
    needs=frozenset({Signal.BASELINE, Signal.PASS_LOG}),
    match=_match,
)
