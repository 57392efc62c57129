"""Kernels of several operators that fell apart: who was in them, and what stands in the way now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.diagnose.labels import FUSION, name_of, needless_names, op_of
from perfgate.diagnose.signals import node_names, work_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.core.execution_profile import OperatorRow, Profile
    from perfgate.core.pass_entry import PassEntry
    from perfgate.diagnose.signals import Matched, Signals

UNKNOWN = "the pass log does not say why"


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Operators whose common kernel is gone: its operators, the refusal, and what the loss costs.

    `blocker` is a new operator that stands in the way; its time is part of the cost. `between` are operators
    that read the result now, where nothing was refused.
    """

    matched: Matched
    kernel: str
    refusal: PassEntry | None
    blocker: OperatorRow | None
    between: tuple[str, ...] = ()

    @property
    def time_ps(self) -> int:
        """What the operators and the one in their way take longer."""
        return self.matched.work_delta_ps + (0 if self.blocker is None else work_of([self.blocker]))

    @property
    def code(self) -> str:
        """Of the refusal."""
        return "" if self.refusal is None else self.refusal.code

    @property
    def blocking_op(self) -> str:
        """The type of the operator in the way, "" when the whole pass is off or nothing is known."""
        if self.refusal is not None:
            return op_of(self.refusal.before[-1]) if self.refusal.before else ""
        return op_of(self.between[0]) if self.between else ""

    @property
    def reason(self) -> str:
        """In words."""
        if self.refusal is None:
            return f"{self.between[0]} reads the result now" if self.between else UNKNOWN
        last = f"{self.refusal.before[-1]}: " if self.refusal.before else ""
        return f"{last}{self.refusal.reason}"


def find_splits(signals: Signals) -> list[Split]:
    """Groups that fused before and do not now, if the model still has their operators.

    Not those around needless work: without the work there is nothing to fuse around.
    """
    if signals.before is None:
        return []
    log = signals.after.pass_log
    needless, lost = needless_names(log), _lost_kernels(signals.before, signals.after)
    known = node_names(signals.after) - frozenset(signals.after.graph.without_kernel)
    look = _Look(
        refusals=_refusals(log),
        added={
            name: row
            for item in signals.matched
            if not item.before
            for row in item.after
            for name in names_of(row)
        },
        readers=_new_readers(signals),
    )
    found = []
    for matched in signals.matched:
        # On the host nothing fuses; that is told by another rule.
        split = None if signals.has_moved_to_host(matched) else look.split(matched)
        if split is None or split.time_ps <= 0 or split.kernel not in lost:
            continue
        refusal = split.refusal
        if refusal is not None and refusal.before and name_of(refusal.before[-1]) in needless:
            continue
        fused = {node.name for row in matched.before for node in row.sources}
        if refusal is not None or split.between or fused <= known:
            found.append(split)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What a split is explained by: refusals by anchor, new operators by each of their nodes, new readers."""

    refusals: Mapping[str, PassEntry]
    added: Mapping[str, OperatorRow]
    readers: Mapping[str, tuple[str, ...]]

    def split(self, matched: Matched) -> Split | None:
        """None when the kernel is as large as before."""
        before = max(matched.before, key=lambda row: len(row.sources), default=None)
        if before is None or not before.sources or not matched.after:
            return None
        left = max((_left_of(row, before) for row in matched.after), key=len)
        if len(left) >= len(before.sources):
            return None
        names = [row.name for row in matched.after]
        refusal = next((self.refusals[name] for name in (*names, "") if name in self.refusals), None)
        return Split(
            matched=matched,
            kernel=_ops(before),
            refusal=refusal,
            blocker=self._blocker(refusal),
            between=() if refusal is not None else next(filter(None, map(self.readers.get, names)), ()),
        )

    def _blocker(self, refusal: PassEntry | None) -> OperatorRow | None:
        if refusal is None or not refusal.before:
            return None
        return self.added.get(name_of(refusal.before[-1]))


def names_of(row: OperatorRow) -> frozenset[str]:
    """The nodes of the model that run in an operator's kernel."""
    return frozenset({row.name, *(node.name for node in row.sources)})


def _ops(row: OperatorRow) -> str:
    return "+".join(node.op for node in row.sources)


def _lost_kernels(before: Profile, after: Profile) -> frozenset[str]:
    """Kernels by their operators of which there are fewer now: one that only moved to a twin is not lost."""
    old, new = (Counter(_ops(row) for row in side.operators) for side in (before, after))
    return frozenset(ops for ops, count in old.items() if new[ops] < count)


def _refusals(log: Iterable[PassEntry]) -> dict[str, PassEntry]:
    """The last refusal of each anchor, by its name; of a pass that is off, one without a name."""
    return {
        name_of(entry.before[0]) if entry.before else "": entry
        for entry in log
        if entry.pass_name == FUSION and not entry.applied
    }


def _new_readers(signals: Signals) -> dict[str, tuple[str, ...]]:
    """Operators new in the model that read a result, by the name of its operator."""
    new = {row.number: row for item in signals.matched if not item.before for row in item.after}
    names = {row.number: row.name for row in signals.after.operators}
    found: dict[str, tuple[str, ...]] = {}
    for flow in signals.after.flows:
        reader = new.get(flow.target)
        if reader is not None and flow.source in names:
            name = names[flow.source]
            found[name] = (*found.get(name, ()), f"{reader.op} {reader.name}")
    return found


def _left_of(row: OperatorRow, before: OperatorRow) -> frozenset[str]:
    """Nodes of the kernel before that this kernel still runs together."""
    known = frozenset(node.name for node in before.sources)
    return frozenset(node.name for node in row.sources if node.name in known) or frozenset({row.name})
