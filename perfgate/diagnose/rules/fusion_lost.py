"""Operators that ran in one kernel run in several; the pass log says who is in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, and_more, worst_first
from perfgate.diagnose.labels import FUSION, name_of, needless_names, op_of
from perfgate.diagnose.signals import Matched, Signal, Signals, node_names
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.execution_profile import OperatorRow
    from perfgate.core.pass_entry import PassEntry

_SWITCHED_OFF = "switched-off"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """Operators whose common kernel is gone: ops of the kernel before, the refusal, and what it costs."""

    matched: Matched
    kernel: str
    refusal: PassEntry | None
    time_ps: int

    def is_told_elsewhere(self, needless: frozenset[str], known: frozenset[str]) -> bool:
        """Needless work is in the way, or the model itself has fewer nodes and nothing was refused."""
        if self.refusal is not None:
            return bool(self.refusal.before) and name_of(self.refusal.before[-1]) in needless
        return not {node.name for row in self.matched.before for node in row.sources} <= known

    @property
    def key(self) -> tuple[str, str, str]:
        if self.refusal is None:
            return self.kernel, "", ""
        return self.kernel, self.refusal.code, _blocker(self.refusal)


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    refusals = _refusals(signals.after.pass_log)
    known = node_names(signals.after) - frozenset(signals.after.graph.without_kernel)
    needless = needless_names(signals.after.pass_log)
    added = {row.name: row for item in signals.matched if not item.before for row in item.after}
    groups: dict[tuple[str, str, str], list[_Split]] = {}
    for matched in signals.matched:
        split = _split(matched, refusals, added)
        if split is None or split.time_ps <= 0 or split.is_told_elsewhere(needless, known):
            continue
        groups.setdefault(split.key, []).append(split)
    return worst_first(signals, [_suspect(signals, group) for group in groups.values()], limits)


def _refusals(log: Sequence[PassEntry]) -> dict[str, PassEntry]:
    """The last refusal of each anchor, by its name; of a pass that is off, one without a name."""
    return {
        name_of(entry.before[0]) if entry.before else "": entry
        for entry in log
        if entry.pass_name == FUSION and not entry.applied
    }


def _blocker(refusal: PassEntry) -> str:
    return op_of(refusal.before[-1]) if refusal.before else ""


def _split(
    matched: Matched, refusals: Mapping[str, PassEntry], added: Mapping[str, OperatorRow]
) -> _Split | None:
    before = max(matched.before, key=lambda row: len(row.sources), default=None)
    if before is None or not before.sources or not matched.after:
        return None
    left = max((_fused_names(row, before) for row in matched.after), key=len)
    if len(left) >= len(before.sources):
        return None
    names = [row.name for row in matched.after]
    refusal = next((refusals[name] for name in (*names, "") if name in refusals), None)
    return _Split(
        matched=matched,
        kernel="+".join(node.op for node in before.sources),
        refusal=refusal,
        time_ps=matched.delta_ps + _time_of_blocker(refusal, added),
    )


def _fused_names(row: OperatorRow, before: OperatorRow) -> set[str]:
    """Nodes of the kernel before that this kernel still runs together."""
    known = {node.name for node in before.sources}
    return {node.name for node in row.sources if node.name in known} or {row.name}


def _time_of_blocker(refusal: PassEntry | None, added: Mapping[str, OperatorRow]) -> int:
    """The blocking operator and the kernel it runs in are new, so nothing before stands against them."""
    if refusal is None or not refusal.before:
        return 0
    name = name_of(refusal.before[-1])
    for row in added.values():
        if row.name == name or any(node.name == name for node in row.sources):
            return row.total_ps
    return 0


def _suspect(signals: Signals, group: list[_Split]) -> Suspect:
    worst = max(group, key=lambda item: item.time_ps)
    refusal = worst.refusal
    reason = "the pass log does not say why" if refusal is None else _sentence_of(refusal)
    return Suspect(
        rule="fusion_lost",
        sentence=f"{worst.kernel} split at {and_more(worst.matched.ref, group)}: {reason}",
        cost=signals.cost(sum(item.time_ps for item in group)),
        operator=worst.matched.ref,
        evidence=(Evidence(step=Step.PASS_LOG, label="fusion refused", text=reason),),
        remedies=_remedies(refusal),
    )


def _sentence_of(refusal: PassEntry) -> str:
    """`Where net.act: unknown-op: Where is not an activation this fusion knows`."""
    return f"{refusal.before[-1]}: {refusal.reason}" if refusal.before else refusal.reason


def _remedies(refusal: PassEntry | None) -> tuple[Remedy, ...]:
    if refusal is not None and refusal.code == _SWITCHED_OFF:
        settings = tuple([
            NewSetting(kind=DifferenceKind.FLAG, name=name, value=None)
            for name in ("--fusion_switch_file", "--disable_pass")
        ])  # fmt: skip
        return (Remedy(title="switch the fusions on", risk="none, same numerics", settings=settings),)
    blocker = _blocker(refusal) if refusal is not None else ""
    advice = (
        f"replace {blocker} by an operator that the fusion knows, or export it as one"
        if blocker
        else "compare the pass logs of both versions"
    )
    return (Remedy(title="replace the blocking operator", risk="check the output difference", advice=advice),)


RULE = Rule(
    id="fusion_lost",
    about="Operators that ran in one kernel run in several; the pass log holds the refusal.",
    needs=frozenset({Signal.BASELINE, Signal.PASS_LOG}),
    match=_match,
)
