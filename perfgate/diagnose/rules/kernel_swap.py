"""The same operator runs another kernel or tile, and longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, and_more, time_text, worst_first
from perfgate.diagnose.signals import HOST, Matched, Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.execution_profile import KernelRow, OperatorRow


_MOVED = "device -> host"


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    by_op: dict[str, list[tuple[Matched, str, int]]] = {}
    for matched in signals.matched:
        if signals.has_moved_to_host(matched):
            if matched.work_delta_ps > 0:
                by_op.setdefault(HOST, []).append((matched, _MOVED, matched.work_delta_ps))
            continue
        kernels = _kernels(signals, matched)
        if kernels is None:
            continue
        before, after = kernels
        time = _body(after) - _body(before)
        if time > 0 and _choice(before) != _choice(after):
            text = f"{_choice(before)} -> {_choice(after)}"
            by_op.setdefault(matched.after[0].op, []).append((matched, text, time))
    return worst_first(signals, [_suspect(signals, members) for members in by_op.values()], limits)


def _kernels(signals: Signals, matched: Matched) -> tuple[KernelRow, KernelRow] | None:
    """The longest own kernel on both sides of one operator that does the same work as before."""
    if len(matched.before) != 1 or len(matched.after) != 1:
        return None
    old, new = matched.before[0], matched.after[0]
    before, after = _own(signals.kernels_before, old), _own(signals.kernels_after, new)
    if before is None or after is None or _work(old) != _work(new):
        return None
    return before, after


def _work(row: OperatorRow) -> tuple[object, ...]:
    """What has to be equal for another kernel to be a choice: type, size, and the nodes in the kernel."""
    return row.op, row.dtype, row.flops, row.shape, len(row.sources)


def _own(kernels: Mapping[int, tuple[KernelRow, ...]], row: OperatorRow) -> KernelRow | None:
    own = [kernel for kernel in kernels.get(row.number, ()) if not kernel.implicit and kernel.op == row.op]
    return max(own, key=lambda kernel: (_body(kernel), -kernel.index), default=None)


def _body(kernel: KernelRow) -> int:
    """Time without the launch, in the whole execution."""
    return (kernel.parts.compute_ps + kernel.parts.transfer_ps) * kernel.times


def _choice(kernel: KernelRow) -> str:
    """The variant, with its tile if it has one."""
    tile = f" tile {'x'.join(map(str, kernel.tile))}" if any(kernel.tile) else ""
    return f"{kernel.variant}{tile}"


def _suspect(signals: Signals, members: list[tuple[Matched, str, int]]) -> Suspect:
    worst, text, time = max(members, key=lambda item: item[2])
    return Suspect(
        rule="kernel_swap",
        sentence=f"{and_more(worst.ref, members)}: another kernel, {text}, {time_text(time)} longer",
        cost=signals.cost(sum(item[2] for item in members)),
        operator=worst.ref,
        evidence=(Evidence(step=Step.KERNELS, label="kernel choice", text=text),),
        remedies=(_back_to_device() if text == _MOVED else _pinned(),),
    )


def _pinned() -> Remedy:
    advice = "pin the version of the kernel library, or name the kernel in its choice file"
    return Remedy(title="pin the kernel", risk="none, same numerics", advice=advice)


def _back_to_device() -> Remedy:
    advice = "let the device do it again: no scope of the model or of its runtime has to be on the host"
    return Remedy(title="move the work back to the device", risk="check the output difference", advice=advice)


RULE = Rule(
    id="kernel_swap",
    about="The same operator of the same size runs another kernel or tile or on another engine, and longer.",
    needs=frozenset({Signal.BASELINE, Signal.KERNELS}),
    match=_match,
)
