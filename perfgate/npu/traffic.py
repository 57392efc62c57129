"""Which bytes come from L2 and which from device memory, per kernel.

An operand hits L2 when the bytes touched since its last touch stay under `l2.reuse_share` of the cache; a
written tensor stays in L2 when its next touch hits. First touches of weights and inputs come from memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.device import KIB

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.npu.columns import Accesses, Bools, Columns, Floats, Ints

# A row that fits no buffer is read for the maximum or mean, for the sum, and for the result.
LONG_ROW_READS = 3
_FLOAT32_BYTES = 4


class Reuse(StrEnum):
    """What on-chip reuse counts: nothing, L2, or also results that stay in L1 for the next kernel."""

    OFF = "off_optimize"
    L2 = "l2_optimize"
    L1 = "l1_optimize"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Bytes per kernel and level. Floats are weighted by run length and conversion, and give the time.

    `a`, `b`, `rest` split the reads: first operand, second operand, others.
    """

    a: Floats
    b: Floats
    rest: Floats
    written: Floats
    dram_read: Ints
    dram_write: Ints
    l2_read: Ints
    l2_write: Ints
    dram_read_slow: Floats
    dram_write_slow: Floats


def measure_traffic(columns: Columns, device: Device, reuse: Reuse) -> Traffic:
    """Split every operand of every kernel over the memory levels."""
    rows, count = columns.accesses, columns.size
    passes = _read_passes(columns, device)
    capacity = -1 if reuse is Reuse.OFF else int(device.l2.bytes * device.l2.reuse_share)
    hits, written_by = _hits(rows, capacity)
    is_write = rows.is_write
    repeats = np.where(rows.rank == 0, passes[rows.kernel], 1)
    if reuse is Reuse.L1:
        # Half of every L1 holds what the kernel before left there, the other half is the next tile's.
        fits = rows.size <= device.buffers.l1_kb * KIB * device.cores.matrix // 2
        repeats = np.where(fits & ~is_write & (written_by == rows.kernel - 1), 0, repeats)
    size, slow = rows.size * repeats, rows.slow * repeats

    def total(mask: Bools) -> Ints:
        return _sum_by(rows.kernel[mask], size[mask], count)

    def total_slow(mask: Bools) -> Floats:
        return _sum_slow(rows.kernel[mask], slow[mask], count)

    return Traffic(
        a=total_slow(rows.rank == 0),
        b=total_slow(rows.rank == 1),
        rest=total_slow(rows.rank > 1),
        written=total_slow(is_write),
        dram_read=total(~is_write & ~hits),
        dram_write=total(is_write & ~hits),
        l2_read=total(~is_write & hits),
        l2_write=total(is_write & hits),
        dram_read_slow=total_slow(~is_write & ~hits),
        dram_write_slow=total_slow(is_write & ~hits),
    )


def _read_passes(columns: Columns, device: Device) -> Ints:
    limit = np.where(columns.is_softmax, device.vector.softmax_row_kb, device.vector.norm_row_kb) * KIB
    return np.where(columns.row * _FLOAT32_BYTES > limit, LONG_ROW_READS, 1)


def _hits(rows: Accesses, capacity: int) -> tuple[Bools, Ints]:
    """Which operands hit L2, and for each the kernel that wrote its buffer just before (-2: none did)."""
    order = np.argsort(rows.buffer, kind="stable")
    touched = np.cumsum(rows.size)
    ends = touched[order]
    same = rows.buffer[order][1:] == rows.buffer[order][:-1]
    is_near = same & (ends[1:] - ends[:-1] <= capacity)
    hit = np.zeros(len(order), dtype=np.bool_)
    is_write = rows.is_write[order]
    hit[1:] = is_near & ~is_write[1:]
    hit[:-1] |= is_near & is_write[:-1]
    kernel = rows.kernel[order]
    source = np.full(len(order), -2, dtype=np.int64)
    source[1:] = np.where(same & is_write[:-1], kernel[:-1], -2)
    result, written_by = np.empty_like(hit), np.empty_like(source)
    result[order], written_by[order] = hit, source
    return result, written_by


def _sum_by(kernel: Ints, values: Ints, count: int) -> Ints:
    result = np.zeros(count, dtype=np.int64)
    np.add.at(result, kernel, values)
    return result


def _sum_slow(kernel: Ints, values: Floats, count: int) -> Floats:
    # bincount adds in the order of the rows on every platform, unlike a pairwise float reduction.
    sums: Floats = np.bincount(kernel, weights=values, minlength=count).astype(np.float64)
    return sums
