"""Operators of a profile: kernels summed to the node of the model whose need caused them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfgate.compiler.program import Owner
from perfgate.core.profile import OperatorRow, Parts
from perfgate.npu.columns import HOST, LAYOUT
from perfgate.npu.kernel_cost import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.device import Device
    from perfgate.npu.columns import Ints
    from perfgate.npu.phase import Phase

_FIELDS = (
    "dispatch", "transfer", "compute", "sync", "wait", "kernels", "macs", "vector", "dram", "l2",
    "copies", "copied_bytes", "copies_ps", "estimated",
)  # fmt: skip
_BALANCED_FROM, _BALANCED_TO = 1.0, 10.0  # FLOP per byte, the classes of SIMULATOR section 9
NO_OWNER = Owner(number=-1, name="(program)", op="", scope="", place="")


def operator_rows(phases: Sequence[Phase], device: Device) -> tuple[OperatorRow, ...]:
    """One row per node that ran, in the order of the model; the whole execution, all phases together."""
    sums: dict[tuple[int, str], Ints] = {}
    owners: dict[tuple[int, str], Owner] = {}
    longest: dict[tuple[int, str], tuple[int, str]] = {}
    for phase in phases:
        table, duration, bound = _sum_by_owner(phase)
        names = (NO_OWNER, *phase.execution.program.owners)
        for index in np.flatnonzero(table[:, _FIELDS.index("kernels")]).tolist():
            key = (names[index].number, names[index].name)
            owners[key] = names[index]
            sums[key] = sums[key] + table[index] if key in sums else table[index]
            candidate = (int(duration[index]), BOUNDS[int(bound[index])])
            longest[key] = max(longest.get(key, (-1, "")), candidate, key=lambda item: item[0])
    peak = device.peak_macs_per_second("float16") * 2
    ridge = peak / (device.dram.gb_s * 1e9)
    return tuple(_row(owners[key], sums[key].tolist(), longest[key][1], ridge) for key in sorted(sums))


def _sum_by_owner(phase: Phase) -> tuple[Ints, Ints, Ints]:
    execution = phase.execution
    columns, costs, traffic = execution.columns, execution.costs, execution.traffic
    times = columns.repeat * phase.times
    stretch = execution.schedule.stretch * phase.times
    inside = costs.duration * times + stretch
    is_copy = columns.implicit & (columns.kind > LAYOUT)
    crosses = is_copy & (columns.kind != HOST)
    estimated = np.array([kernel.is_estimated for kernel in execution.program.kernels], dtype=np.bool_)
    values = np.stack(
        [
            costs.dispatch * times, costs.transfer * times + stretch, costs.compute * times,
            costs.sync * times, execution.schedule.wait * phase.times, times,
            columns.macs * times, columns.vector_work * times,
            (traffic.dram_read + traffic.dram_write) * times, costs.l2_bytes * times, crosses * times,
            crosses * columns.link_bytes * times, is_copy * inside, estimated * inside,
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


def _row(owner: Owner, sums: list[int], bound: str, ridge: float) -> OperatorRow:
    value = dict(zip(_FIELDS, sums, strict=True))
    parts = Parts(
        dispatch_ps=value["dispatch"],
        transfer_ps=value["transfer"],
        compute_ps=value["compute"],
        sync_ps=value["sync"],
        wait_ps=value["wait"],
    )
    flops = 2 * value["macs"] + value["vector"]
    intensity = flops / value["dram"] if value["dram"] else 0.0
    return OperatorRow(
        number=owner.number, name=owner.name, op=owner.op, scope=owner.scope, place=owner.place,
        kernels=value["kernels"], total_ps=parts.duration_ps + parts.wait_ps, parts=parts, bound=bound,
        flops=flops, dram_bytes=value["dram"], l2_bytes=value["l2"], intensity=intensity,
        intensity_class=intensity_class(intensity), is_above_ridge=intensity > ridge, copies=value["copies"],
        copied_bytes=value["copied_bytes"], copies_ps=value["copies_ps"], is_estimated=value["estimated"] > 0,
    )  # fmt: skip


def intensity_class(intensity: float) -> str:
    """Memory below 1 FLOP per byte, balanced up to 10, compute above."""
    if intensity < _BALANCED_FROM:
        return "memory"
    return "balanced" if intensity <= _BALANCED_TO else "compute"
