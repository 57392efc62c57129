"""Collective communication takes longer, or is waited for longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, time_text, worst_first
from perfgate.diagnose.signals import Matched, Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.execution_profile import KernelRow, OperatorRow

# Parts of names as communication libraries write them, in lower case without separators.
_COLLECTIVES = (
    "allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "barrier", "sendrecv", "hcom",
)  # fmt: skip


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    found = []
    for matched in signals.compared:
        before, after = (
            _spent(signals.kernels_before, matched.before),
            _spent(signals.kernels_after, matched.after),
        )
        if after > before:
            found.append(_suspect(signals, matched, before, after))
    return worst_first(signals, found, limits)


def is_collective(kernel: KernelRow) -> bool:
    """By its operator, kind or variant."""
    text = f"{kernel.op} {kernel.kind} {kernel.variant}".lower().replace("_", "").replace("-", "")
    return any(name in text for name in _COLLECTIVES)


def _spent(kernels: Mapping[int, tuple[KernelRow, ...]], rows: tuple[OperatorRow, ...]) -> int:
    """Time of collectives on the path that decides the latency, with the wait before them."""
    return sum(
        (kernel.duration_ps + kernel.parts.wait_ps) * kernel.times
        for row in rows
        for kernel in kernels.get(row.number, ())
        if kernel.critical and is_collective(kernel)
    )


def _suspect(signals: Signals, matched: Matched, before: int, after: int) -> Suspect:
    change = f"{time_text(before)} -> {time_text(after)}" if before else time_text(after)
    text = f"{matched.ref.op} {matched.ref.name}: waiting and communicating take {change}"
    return Suspect(
        rule="comm_wait",
        sentence=text,
        cost=signals.cost(after - before),
        operator=matched.ref,
        evidence=(Evidence(step=Step.PATTERNS, label="collective", text=text),),
        remedies=(
            Remedy(
                title="group the messages, or overlap them with work",
                risk="check the order of results",
                advice="join small messages, start them before the work that does not need them, or balance"
                " what the members do before they meet",
            ),
        ),
    )


RULE = Rule(
    id="comm_wait",
    about="Collective communication on the critical path takes longer, or is waited for longer.",
    needs=frozenset({Signal.KERNELS}),
    match=_match,
)
