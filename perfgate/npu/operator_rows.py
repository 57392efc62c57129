"""Operators of a profile: kernels summed to the node of the model whose need caused them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfgate.compiler.program import Owner
from perfgate.core.execution_profile import OperatorRow, Parts, SourceNode
from perfgate.npu.columns import HOST, LAYOUT
from perfgate.npu.kernel_cost import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.compiler.program import Kernel, Program
    from perfgate.core.device import Device
    from perfgate.npu.columns import Ints
    from perfgate.npu.phase import Phase

_FIELDS = (
    "dispatch", "transfer", "compute", "sync", "wait", "kernels", "macs", "vector", "dram", "l2",
    "copies", "copied_bytes", "copies_ps", "conversions", "conversions_ps", "estimated",
)  # fmt: skip
_BALANCED_FROM, _BALANCED_TO = 1.0, 10.0  # FLOP per byte, the classes of SIMULATOR section 9
_BYTES_PER_GB = 1e9
_AROUND = frozenset({"Copy", "Reorder"})
NO_OWNER = Owner(number=-1, name="(program)", op="", scope="", place="")


class _Operator(NamedTuple):
    """Sums of one operator in the order of `_FIELDS`, its longest kernel, and the one that is its own."""

    owner: Owner
    sums: list[int]
    longest: int
    bound: int
    main: tuple[Program, Kernel] | None


def operator_rows(phases: Sequence[Phase], device: Device) -> tuple[OperatorRow, ...]:
    """One row per node that ran, in the order of the model; the whole execution, all phases together."""
    found: dict[tuple[int, str], _Operator] = {}
    for phase in phases:
        table, duration, bound = _sum_by_owner(phase)
        names = (NO_OWNER, *phase.execution.program.owners)
        ran = np.flatnonzero(table[:, _FIELDS.index("kernels")])
        columns = (ran.tolist(), table[ran].tolist(), duration[ran].tolist(), bound[ran].tolist())
        main = _main_kernels(phase.execution.program)
        for index, sums, longest, code in zip(*columns, strict=True):
            owner = names[index]
            key = (owner.number, owner.name)
            before = found.get(key)
            if before is not None:
                sums = [old + new for old, new in zip(before.sums, sums, strict=True)]  # noqa: PLW2901 - the merged row
                longest, code = max((before.longest, before.bound), (longest, code))  # noqa: PLW2901 - the same
            kernel = main.get(index - 1)
            own = None if kernel is None else (phase.execution.program, kernel)
            found[key] = _Operator(owner, sums, longest, code, own if before is None else before.main or own)
    ridge = 2 * device.peak_macs_per_second("float16") / (device.dram.gb_s * _BYTES_PER_GB)
    return tuple([_row(found[key], ridge) for key in sorted(found)])


def _main_kernels(program: Program) -> dict[int, Kernel]:
    """The kernel that does the work of each owner, not a copy, cast or conversion around it."""
    found: dict[int, Kernel] = {}
    for kernel in program.kernels:
        is_around = kernel.implicit or kernel.op in _AROUND or kernel.owner in found
        if not is_around and not _is_inserted(program, kernel):
            found[kernel.owner] = kernel
    return found


def _is_inserted(program: Program, kernel: Kernel) -> bool:
    """A pass put it there for the sake of its owner."""
    steps = program.origins[kernel.origin].steps if kernel.origin >= 0 else ()
    return bool(steps) and steps[-1][1] == "inserted"


def _source_nodes(program: Program, kernel: Kernel) -> tuple[SourceNode, ...]:
    nodes = program.origins[kernel.origin].nodes if kernel.origin >= 0 else ()
    if len(nodes) < 2:  # noqa: PLR2004 - one node is the operator itself
        return ()
    owners = [program.owners[node] for node in nodes]
    return tuple(
        [SourceNode(owner.name, owner.op, owner.scope, owner.shape, owner.number) for owner in owners]
    )


def _sum_by_owner(phase: Phase) -> tuple[Ints, Ints, Ints]:
    execution = phase.execution
    columns, costs, traffic = execution.columns, execution.costs, execution.traffic
    times = columns.repeat * phase.times
    stretch = execution.schedule.stretch * phase.times
    inside = costs.duration * times + stretch
    is_conversion = columns.implicit & (columns.kind == LAYOUT)
    is_copy = columns.implicit & (columns.kind > LAYOUT)
    crosses = is_copy & (columns.kind != HOST)
    estimated = np.array([kernel.is_estimated for kernel in execution.program.kernels], dtype=np.bool_)
    values = np.stack(
        [
            costs.dispatch * times, costs.transfer * times + stretch, costs.compute * times,
            costs.sync * times, execution.schedule.wait * phase.times, times,
            columns.macs * times, columns.vector_work * times,
            (traffic.dram_read + traffic.dram_write) * times, costs.l2_bytes * times, crosses * times,
            crosses * columns.link_bytes * times, is_copy * inside,
            is_conversion * times, is_conversion * inside, estimated * inside,
        ],
        axis=1,
    )  # fmt: skip
    slots = len(execution.program.owners) + 1
    table = np.zeros((slots, len(_FIELDS)), dtype=np.int64)
    owner = columns.owner + 1
    np.add.at(table, owner, values)
    duration, bound = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.int64)
    by_length = np.argsort(inside, kind="stable")
    # Ascending, so the longest kernel of an owner is the one that stays.
    duration[owner[by_length]], bound[owner[by_length]] = inside[by_length], costs.bound[by_length]
    return table, duration, bound


def _row(operator: _Operator, ridge: float) -> OperatorRow:
    owner = operator.owner
    (
        dispatch, transfer, compute, sync, wait, kernels, macs, vector, dram, l2,
        copies, copied, copies_ps, conversions, conversions_ps, estimated,
    ) = operator.sums  # fmt: skip
    flops = 2 * macs + vector
    intensity = flops / dram if dram else 0.0
    dtype, layout = "", ""
    sources: tuple[SourceNode, ...] = ()
    if operator.main is not None:
        program, kernel = operator.main
        dtype, sources = kernel.dtype, _source_nodes(program, kernel)
        layout = program.buffers[kernel.writes[0].buffer].layout if kernel.writes else ""
    return OperatorRow(
        number=owner.number, name=owner.name, op=owner.op, scope=owner.scope, place=owner.place,
        kernels=kernels, total_ps=dispatch + transfer + compute + sync + wait,
        parts=Parts(
            dispatch_ps=dispatch, transfer_ps=transfer, compute_ps=compute, sync_ps=sync, wait_ps=wait
        ),
        bound=BOUNDS[operator.bound], flops=flops, dram_bytes=dram, l2_bytes=l2, intensity=intensity,
        intensity_class=intensity_class(intensity), is_above_ridge=intensity > ridge, copies=copies,
        copied_bytes=copied, copies_ps=copies_ps, is_estimated=estimated > 0, shape=owner.shape, dtype=dtype,
        layout=layout,
        conversions=conversions, conversions_ps=conversions_ps, sources=sources,
    )  # fmt: skip


def intensity_class(intensity: float) -> str:
    """Memory below 1 FLOP per byte, balanced up to 10, compute above."""
    if intensity < _BALANCED_FROM:
        return "memory"
    return "balanced" if intensity <= _BALANCED_TO else "compute"
