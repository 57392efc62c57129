"""Kernels of a profile: one row per span, or the longest of a very large program and one row for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.execution_profile import KernelRow, Parts
from perfgate.npu.kernel_cost import BOUNDS
from perfgate.npu.schedule import ENGINES, engine_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.npu.columns import Columns, Ints
    from perfgate.npu.kernel_cost import KernelCosts
    from perfgate.npu.phase import Phase

ALL_UP_TO = 5_000
LONGEST = 200
_PS_PER_US = 1_000_000


def kernel_rows(phases: Sequence[Phase]) -> tuple[KernelRow, ...]:
    """Rows in order of issue; durations times `times` sum to the whole execution."""
    rows: list[KernelRow] = []
    for number, phase in enumerate(phases):
        chosen, rest = _chosen(phase)
        rows += _rows(phase, number, chosen)
        if len(rest):
            rows.append(_rest_row(phase, number, rest))
    return tuple(rows)


def _chosen(phase: Phase) -> tuple[Ints, Ints]:
    execution = phase.execution
    count = execution.columns.size
    everything = np.arange(count)
    if count <= ALL_UP_TO:
        return everything, everything[:0]
    length = execution.schedule.end - execution.schedule.start
    longest = np.argsort(-length, kind="stable")[:LONGEST]
    keep = np.zeros(count, dtype=np.bool_)
    keep[longest] = True
    if execution.schedule.streams > 1:
        # With one stream every kernel is critical, so the path says nothing that the longest rows do not.
        keep[list(execution.schedule.critical)] = True
    return everything[keep], everything[~keep]


def _rows(phase: Phase, number: int, chosen: Ints) -> list[KernelRow]:
    execution = phase.execution
    columns, costs, schedule, traffic = (
        execution.columns, execution.costs, execution.schedule, execution.traffic,
    )  # fmt: skip
    critical = np.zeros(columns.size, dtype=np.bool_)
    critical[list(schedule.critical)] = True
    repeat = columns.repeat
    fields = (
        chosen, engine_of(columns.kind), schedule.stream, schedule.start, schedule.end - schedule.start,
        schedule.slack, costs.dispatch * repeat, costs.transfer * repeat + schedule.stretch,
        costs.compute * repeat, costs.sync * repeat, schedule.wait, costs.bound, costs.utilisation,
        (traffic.dram_read + traffic.dram_write) * repeat, costs.l2_bytes * repeat,
        columns.link_bytes * repeat, costs.tile_m, costs.tile_n, costs.tile_k, costs.waves,
        critical, _tiles(columns, costs),
    )  # fmt: skip
    lists = [fields[0].tolist(), *(values[chosen].tolist() for values in fields[1:])]
    kernels, frequency = execution.program.kernels, execution.device.freq_mhz
    buffers, owners = execution.program.buffers, execution.program.owners
    result = []
    for (
        index, engine, stream, start, length, slack, dispatch, transfer, compute, sync, wait, bound, used,
        dram, l2, link, tile_m, tile_n, tile_k, waves, is_critical,
        tiles,
    ) in zip(*lists, strict=True):  # fmt: skip
        kernel = kernels[index]
        result.append(
            KernelRow(
                program=number, index=index, name=kernel.name, op=kernel.op, kind=str(kernel.kind),
                variant=kernel.variant, owner=owners[kernel.owner].number if kernel.owner >= 0 else -1,
                engine=ENGINES[engine], stream=stream,
                start_ps=start, duration_ps=length, slack_ps=slack,
                parts=Parts(
                    dispatch_ps=dispatch, transfer_ps=transfer, compute_ps=compute, sync_ps=sync, wait_ps=wait
                ),
                bound=BOUNDS[bound], utilisation=used, dram_bytes=dram, l2_bytes=l2, link_bytes=link,
                tile=(tile_m, tile_n, tile_k), waves=waves, cycles=length * frequency // _PS_PER_US,
                times=phase.times, implicit=kernel.implicit, critical=is_critical, dtype=kernel.dtype,
                layout=buffers[kernel.writes[0].buffer].layout if kernel.writes else "",
                after=kernel.dependencies, tiles=tiles,
            )
        )  # fmt: skip
    return result


def _tiles(columns: Columns, costs: KernelCosts) -> Ints:
    """Tiles of each matrix product, 0 for other kernels."""
    high, wide = np.maximum(1, costs.tile_m), np.maximum(1, costs.tile_n)
    tiles: Ints = -(-columns.m // high) * -(-columns.n // wide) * columns.count * (costs.tile_m > 0)
    return tiles


def _rest_row(phase: Phase, number: int, rest: Ints) -> KernelRow:
    execution = phase.execution
    costs, schedule, traffic, repeat = (
        execution.costs, execution.schedule, execution.traffic, execution.columns.repeat,
    )  # fmt: skip

    def total(values: Ints) -> int:
        return int(values[rest].sum())

    length = total(schedule.end - schedule.start)
    return KernelRow(
        program=number, index=-1, name="rest", op="", kind="rest", variant=f"{len(rest)} kernels", owner=-1,
        engine="", stream=-1, start_ps=0, duration_ps=length, slack_ps=0,
        parts=Parts(
            dispatch_ps=total(costs.dispatch * repeat),
            transfer_ps=total(costs.transfer * repeat + schedule.stretch),
            compute_ps=total(costs.compute * repeat),
            sync_ps=total(costs.sync * repeat),
            wait_ps=total(schedule.wait),
        ),
        bound="", utilisation=0.0, dram_bytes=total((traffic.dram_read + traffic.dram_write) * repeat),
        l2_bytes=total(costs.l2_bytes * repeat), link_bytes=total(execution.columns.link_bytes * repeat),
        cycles=length * execution.device.freq_mhz // _PS_PER_US, times=phase.times,
    )  # fmt: skip
