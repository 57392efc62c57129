"""What a rule may look at: the only view of two profiles that it gets, so a hand-made one tests it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Focus, OperatorRef
from perfgate.core.units import PS_PER_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.device import Device
    from perfgate.core.difference import Difference
    from perfgate.core.execution_profile import KernelRow, OperatorRow, Profile
    from perfgate.core.pass_entry import PassEntry


HOST = "host"  # the engine of work on the CPU


class Signal(StrEnum):
    """What must be there for a rule to say anything; an absent one makes the rule not applicable."""

    BASELINE = "a profile of the baseline"
    PASS_LOG = "a pass log"  # noqa: S105 - a log of compiler passes
    MACHINE = "a simulated device"
    KERNELS = "kernels"
    MEMORY = "a memory plan"
    MEMORY_LOG = "an allocation log over iterations"
    ENERGY = "energy by engine"
    DIFFERENCES = "re-simulated differences"
    SUITE = "the change of other benchmarks"
    STAGES = "stages of a pipeline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """Operators that do the same work on both sides: one each, or a group. One side may have none."""

    before: tuple[OperatorRow, ...]
    after: tuple[OperatorRow, ...]

    @property
    def before_ps(self) -> int:
        """Time on the before side, copies and conversions that they cause included."""
        return sum(row.total_ps for row in self.before)

    @property
    def after_ps(self) -> int:
        """The same on the after side."""
        return sum(row.total_ps for row in self.after)

    @property
    def delta_ps(self) -> int:
        """After minus before."""
        return self.after_ps - self.before_ps

    @property
    def work_delta_ps(self) -> int:
        """The same without waits: for an allocation or another stream no operator is to blame."""
        return work_of(self.after) - work_of(self.before)

    @property
    def ref(self) -> OperatorRef:
        """Its longest operator, of the after side where there is one."""
        rows = self.after or self.before
        row = max(rows, key=lambda item: (item.total_ps, -item.number))
        return operator_ref(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A difference and the after side without it: profile, focus metric, recovered share of the delta."""

    difference: Difference
    profile: Profile
    recovered: float
    amount: int = 0


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Both profiles with their operators paired; `before` None and `matched` empty without a baseline.

    `amount` is the focus metric of the after side and `delta` what it grew by, in the unit of the focus
    (picoseconds, bytes or nanojoules). `suite`: ratio after over before of the other benchmarks by key.
    """

    after: Profile
    before: Profile | None = None
    matched: tuple[Matched, ...] = ()
    differences: tuple[Difference, ...] = ()
    undone: tuple[Undone, ...] = ()
    focus: Focus = Focus.LATENCY
    amount: int = 0
    delta: int = 0
    suite: Mapping[str, float] | None = None
    is_simulated: bool = False

    @property
    def machine(self) -> Device | None:
        """The simulated device of the after side."""
        return self.after.machine

    @cached_property
    def present(self) -> frozenset[Signal]:
        """The signals that are there."""
        memory = self.after.hardware.memory
        found = {
            Signal.BASELINE: self.before is not None,
            Signal.PASS_LOG: bool(self.after.pass_log),
            Signal.MACHINE: self.after.machine is not None,
            # Those of a pipeline are whole stages: what holds of kernels does not hold of them.
            Signal.KERNELS: bool(self.after.kernels) and not self.after.stages,
            Signal.MEMORY: memory.peak > 0 and not self.after.stages,
            Signal.MEMORY_LOG: bool(memory.live_at_end),
            Signal.ENERGY: bool(self.after.hardware.energy_j),
            Signal.DIFFERENCES: self.is_simulated,
            Signal.SUITE: bool(self.suite),
            Signal.STAGES: bool(self.after.stages),
        }
        return frozenset(signal for signal, is_there in found.items() if is_there)

    @cached_property
    def kernels_before(self) -> Mapping[int, tuple[KernelRow, ...]]:
        """Kernels of the before side by the number of the operator that needs them."""
        return {} if self.before is None else _by_owner(self.before)

    @cached_property
    def kernels_after(self) -> Mapping[int, tuple[KernelRow, ...]]:
        """Kernels of the after side by the number of the operator that needs them."""
        return _by_owner(self.after)

    @cached_property
    def call_bytes_before(self) -> Mapping[int, int]:
        """Bytes of the call's own inputs and outputs on the before side, by the operator at their end."""
        return {} if self.before is None else _call_bytes(self.before)

    @cached_property
    def call_bytes_after(self) -> Mapping[int, int]:
        """The same on the after side."""
        return _call_bytes(self.after)

    def has_more_to_hand_over(self, matched: Matched) -> bool:
        """The operators read more of the call's inputs, or make more of its outputs, than before."""
        before = sum(self.call_bytes_before.get(row.number, 0) for row in matched.before)
        return sum(self.call_bytes_after.get(row.number, 0) for row in matched.after) > before

    def has_moved_to_host(self, matched: Matched) -> bool:
        """Operators of the device that the model now leaves to the CPU, or leaves more of."""
        before = _on_host(self.kernels_before, matched.before)
        return bool(matched.before) and _on_host(self.kernels_after, matched.after) > before

    @property
    def passes_before(self) -> tuple[PassEntry, ...]:
        """Pass log of the before side."""
        return () if self.before is None else self.before.pass_log

    @cached_property
    def compared(self) -> tuple[Matched, ...]:
        """Pairs and groups; without a baseline every operator against nothing."""
        if self.before is not None:
            return self.matched
        return tuple([Matched(before=(), after=(row,)) for row in self.after.operators])

    def cost(self, time_ps: int, copied: int = 0) -> int:
        """A time, or the bytes copied in it, in the unit of the focus; 0 where it says nothing about it.

        Energy of a time is that of the average power: watts times picoseconds are thousandths of nanojoules.
        """
        if self.focus is Focus.COPIES:
            return copied
        if self.focus is Focus.ENERGY:
            return round(time_ps * self.after.application.average_w / PS_PER_NS)
        return 0 if self.focus is Focus.MEMORY else time_ps

    def share(self, cost: int) -> float:
        """A cost as share of the focus metric now."""
        return cost / self.amount if self.amount else 0.0


def operator_ref(row: OperatorRow) -> OperatorRef:
    """How causes and reports name an operator of a profile."""
    return OperatorRef(number=row.number, name=row.name, op=row.op, scope=row.scope, place=row.place)


def _on_host(kernels: Mapping[int, tuple[KernelRow, ...]], rows: Sequence[OperatorRow]) -> int:
    return sum(
        kernel.duration_ps * kernel.times
        for row in rows
        for kernel in kernels.get(row.number, ())
        if kernel.engine == HOST and not kernel.implicit
    )


def _call_bytes(profile: Profile) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in profile.copies:
        if not row.implicit:
            found[row.owner] = found.get(row.owner, 0) + row.size * row.times
    return found


def node_names(profile: Profile) -> frozenset[str]:
    """Nodes of the model: those that ran, alone or inside another's kernel, and those that run nothing."""
    fused = (node.name for row in profile.operators for node in row.sources)
    return frozenset({*(row.name for row in profile.operators), *fused, *profile.graph.without_kernel})


def _by_owner(profile: Profile) -> dict[int, tuple[KernelRow, ...]]:
    found: dict[int, list[KernelRow]] = {}
    for row in profile.kernels:
        found.setdefault(row.owner, []).append(row)
    return {owner: tuple(rows) for owner, rows in found.items()}


def work_of(rows: Sequence[OperatorRow]) -> int:
    """Time of operators without waits."""
    return sum(row.total_ps - row.parts.wait_ps for row in rows)


def sum_of(rows: Sequence[OperatorRow], field: str) -> int:
    """A whole-number field of operators, added up."""
    return sum(int(getattr(row, field)) for row in rows)
