"""Time of every kernel in whole picoseconds, split into parts that sum exactly.

duration = dispatch + transfer + compute + sync: dispatch is the launch, sync a drain or wait, compute the
busy time of the arithmetic engine, transfer the exposed rest. First-order: right about size and reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.device import MatrixStyle
from perfgate.npu.columns import D2H, H2D, HOST, LAYOUT, MATRIX, VECTOR
from perfgate.npu.matrix_blocked import cost_blocked
from perfgate.npu.matrix_shape import distinct_shapes, vector_lanes
from perfgate.npu.matrix_wave import cost_systolic, cost_wave

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.npu.columns import Columns, Floats, Ints
    from perfgate.npu.traffic import Traffic

COST_MODEL = (
    "1"  # part of every ruler: raised when a formula changes a number, so old records are not compared
)
BOUNDS = ("matrix", "vector", "load", "store", "launch", "host", "link")
B_MATRIX, B_VECTOR, B_LOAD, B_STORE, B_LAUNCH, B_HOST, B_LINK = range(7)
PS_PER_US = 1_000_000
PS_PER_NS = 1_000
_COST = {MatrixStyle.BLOCKED: cost_blocked, MatrixStyle.WAVE: cost_wave, MatrixStyle.SYSTOLIC: cost_systolic}


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchMode:
    """How kernels are started: in a loaded program, or one at a time by a framework (`is_eager`)."""

    is_eager: bool = False
    is_dynamic: bool = False
    is_pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCosts:
    """One row per kernel and execution; times are picoseconds, `bound` indexes `BOUNDS`.

    `dram` is the time the kernel's memory traffic needs at the full rate, `busy_vector` the busy time of the
    vector engine. Tiles are 0 where there is no matrix product.
    """

    dispatch: Ints
    transfer: Ints
    compute: Ints
    sync: Ints
    duration: Ints
    dram: Ints
    busy_vector: Ints
    bound: Ints
    utilisation: Floats
    l2_bytes: Ints
    tile_m: Ints
    tile_n: Ints
    tile_k: Ints
    waves: Ints


class _Draft:
    """Columns under construction; everything starts at zero."""

    __slots__ = ("body", "bound", "busy_vector", "compute", "dram", "l2", "overlap", "sync", "tiles", "waves")

    def __init__(self, size: int) -> None:
        self.body, self.compute, self.dram, self.busy_vector, self.l2 = np.zeros((5, size))
        self.sync, self.bound, self.waves, self.overlap = np.zeros((4, size), dtype=np.int64)
        self.tiles = np.zeros((3, size), dtype=np.int64)


def cost_kernels(columns: Columns, traffic: Traffic, device: Device, mode: LaunchMode) -> KernelCosts:
    """Cost every kernel of a program on a device."""
    draft = _Draft(columns.size)
    _cost_matrix(draft, columns, traffic, device)
    _cost_vector(draft, columns, traffic, device)
    _cost_layout(draft, columns, traffic, device)
    _cost_link(draft, columns, device, is_pinned=mode.is_pinned)
    dispatch = _dispatch(draft, columns, device, mode)
    body = np.maximum(np.ceil(draft.body).astype(np.int64), draft.overlap)
    compute = np.minimum(np.floor(draft.compute).astype(np.int64), body)
    draft.bound[(dispatch > body) & (columns.kind <= LAYOUT)] = B_LAUNCH
    return KernelCosts(
        dispatch=dispatch, transfer=body - compute, compute=compute, sync=draft.sync,
        duration=dispatch + body + draft.sync, dram=np.ceil(draft.dram).astype(np.int64),
        busy_vector=np.minimum(np.floor(draft.busy_vector).astype(np.int64), body), bound=draft.bound,
        utilisation=_utilisation(columns, body, device), l2_bytes=np.ceil(draft.l2).astype(np.int64),
        tile_m=draft.tiles[0], tile_n=draft.tiles[1], tile_k=draft.tiles[2], waves=draft.waves,
    )  # fmt: skip


def _cost_matrix(draft: _Draft, columns: Columns, traffic: Traffic, device: Device) -> None:
    rows = np.flatnonzero(columns.kind == MATRIX)
    if not len(rows):
        return
    shapes, index = distinct_shapes(columns, traffic, rows, device)
    cost = _COST[device.matrix.style](shapes, device)
    ps_per_cycle = PS_PER_US / device.freq_mhz
    pipeline = (cost.pipeline * ps_per_cycle)[index]
    dram_rate = device.dram.gb_s * device.efficiency.dram / PS_PER_NS  # bytes per picosecond
    dram = (traffic.dram_read_slow + traffic.dram_write_slow)[rows] / dram_rate
    l2_rate = device.rates.l2_read * device.cores.matrix / ps_per_cycle
    l2 = cost.l2_bytes[index] / l2_rate
    draft.body[rows] = np.maximum(np.maximum(pipeline, dram), l2) + device.dma.latency_ns * PS_PER_NS
    draft.compute[rows] = (cost.compute * ps_per_cycle)[index]
    draft.dram[rows], draft.l2[rows] = dram, cost.l2_bytes[index]
    lanes = vector_lanes(columns, device)[rows] * device.cores.matrix
    draft.busy_vector[rows] = columns.vector_work[rows] / lanes * ps_per_cycle
    draft.tiles[0][rows], draft.tiles[1][rows] = cost.tile_m[index], cost.tile_n[index]
    draft.tiles[2][rows], draft.waves[rows] = cost.tile_k[index], cost.waves[index]
    load = np.maximum(
        (cost.load * ps_per_cycle)[index], np.maximum(l2, traffic.dram_read_slow[rows] / dram_rate)
    )
    store = np.maximum((cost.store * ps_per_cycle)[index], traffic.dram_write_slow[rows] / dram_rate)
    draft.bound[rows] = _largest(draft.compute[rows], B_MATRIX, load, store)


def _cost_vector(draft: _Draft, columns: Columns, traffic: Traffic, device: Device) -> None:
    rows = np.flatnonzero(columns.kind == VECTOR)
    if not len(rows):
        return
    ps_per_cycle = PS_PER_US / device.freq_mhz
    reached = _vector_efficiency(columns, device)[rows]
    cores = device.cores.vector
    work = columns.vector_work[rows] * np.where(columns.is_high_precision[rows], 2.0, 1.0)
    compute = np.ceil(work / (vector_lanes(columns, device)[rows] * cores)) * ps_per_cycle
    dram_rate = device.dram.gb_s * reached / PS_PER_NS
    read = (traffic.a + traffic.b + traffic.rest)[rows]
    dram_read, dram_write = traffic.dram_read_slow[rows], traffic.dram_write_slow[rows]
    written = traffic.written[rows]
    l2_in, l2_out = (
        rate * cores * reached / ps_per_cycle for rate in (device.rates.l2_read, device.rates.l2_write)
    )
    port = (device.rates.ub_dram or device.rates.l2_read) * cores * reached / ps_per_cycle
    load = np.maximum(np.maximum(dram_read / dram_rate, (read - dram_read) / l2_in), read / port)
    store = np.maximum(np.maximum(dram_write / dram_rate, (written - dram_write) / l2_out), written / port)
    # The tile is the share of half a buffer that one core of many gets, so more cores never mean fewer tiles.
    tiles = np.maximum(1.0, np.ceil((read + written) / (device.buffers.vector_bytes / 2)))
    slowest = np.maximum(np.maximum(load, compute), store)
    pipeline = (load + compute + store - slowest) / tiles + slowest
    dram = (dram_read + dram_write) / dram_rate
    draft.body[rows] = np.maximum(pipeline, dram) + device.dma.latency_ns * PS_PER_NS
    draft.compute[rows] = draft.busy_vector[rows] = compute
    draft.dram[rows], draft.l2[rows] = dram, read + written - dram_read - dram_write
    draft.bound[rows] = _largest(compute, B_VECTOR, load, store)


def _cost_layout(draft: _Draft, columns: Columns, traffic: Traffic, device: Device) -> None:
    rows = np.flatnonzero(columns.kind == LAYOUT)
    if not len(rows):
        return
    # The run length already says which share of the rate a conversion reaches.
    rate = device.dram.gb_s / PS_PER_NS
    dram_read, dram_write = traffic.dram_read_slow[rows], traffic.dram_write_slow[rows]
    read = (traffic.a + traffic.b + traffic.rest)[rows]
    l2_rate = device.rates.l2_read * device.cores.vector * device.freq_mhz / PS_PER_US
    l2 = read - dram_read + traffic.written[rows] - dram_write
    draft.dram[rows], draft.l2[rows] = (dram_read + dram_write) / rate, l2
    draft.body[rows] = draft.dram[rows] + l2 / max(l2_rate, rate) + device.dma.latency_ns * PS_PER_NS
    draft.bound[rows] = np.where(read >= traffic.written[rows], B_LOAD, B_STORE)


def _cost_link(draft: _Draft, columns: Columns, device: Device, *, is_pinned: bool) -> None:
    link = device.link
    rate = link.gb_s * (1.0 if is_pinned else link.pageable_share) / PS_PER_NS
    rows = np.flatnonzero((columns.kind == H2D) | (columns.kind == D2H))
    draft.bound[rows] = B_LINK
    if not link.is_unified:
        draft.body[rows] = columns.link_bytes[rows] / rate + link.latency_us * PS_PER_US
    host = np.flatnonzero(columns.kind == HOST)
    draft.body[host] = columns.elements[host] * (device.host.reorder_ns_per_element * PS_PER_NS)
    draft.sync[host] = round(device.host.sync_us * PS_PER_US)
    draft.bound[host] = B_HOST


def _dispatch(draft: _Draft, columns: Columns, device: Device, mode: LaunchMode) -> Ints:
    launch = device.launch
    table = np.full(columns.size, launch.compiled_us)
    if mode.is_eager:
        is_row = columns.row > 0
        is_vector = columns.kind == VECTOR
        table[:] = launch.eager_elementwise_us
        table[is_vector & is_row] = launch.eager_norm_us
        table[is_vector & columns.is_softmax] = launch.eager_softmax_us
        table[columns.kind == MATRIX] = launch.eager_matrix_us
        plain = is_vector & ~columns.is_softmax
        draft.overlap[plain & is_row] = round(launch.norm_overlap_us * PS_PER_US)
        draft.overlap[plain & ~is_row] = round(launch.elementwise_overlap_us * PS_PER_US)
    if mode.is_dynamic:
        table += device.runtime.dynamic_us
    table[columns.kind > LAYOUT] = 0.0
    dispatch: Ints = np.ceil(table * PS_PER_US).astype(np.int64)
    return dispatch


def _vector_efficiency(columns: Columns, device: Device) -> Floats:
    reached = device.efficiency
    plain = np.where(columns.row > 0, reached.norm, reached.elementwise)
    return np.where(columns.is_softmax, reached.softmax, plain)


def _largest(compute: Floats, code: int, load: Floats, store: Floats) -> Ints:
    bound = np.where(load >= store, B_LOAD, B_STORE)
    bound[compute >= np.maximum(load, store)] = code
    return bound.astype(np.int64)


def _utilisation(columns: Columns, body: Ints, device: Device) -> Floats:
    rates = np.array([max(device.matrix_rate(name), 1e-9) for name in columns.dtypes])
    peak = device.cores.matrix * device.matrix.macs_per_cycle * device.freq_mhz / PS_PER_US
    reached: Floats = columns.macs / (peak * rates[columns.dtype] * np.maximum(body, 1))
    return np.minimum(1.0, reached)
