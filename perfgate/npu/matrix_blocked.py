"""Matrix products on a blocked array (16 x 16 x 16 and like): the tiler and the double-buffered pipeline.

Formulas of SIMULATOR section 7. All candidate tiles of all shapes are costed in one sweep of arrays; the
least time wins, then the smaller tile. Bank conflicts and instruction issue are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfgate.core.device import KIB
from perfgate.npu.matrix_shape import MatrixCost, Shapes, ceil_div

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.npu.columns import Bools, Floats, Ints

    _TileClass = tuple[Ints, Ints, Ints]

# Candidate tile sides in granules, besides the one that splits the side evenly; a finer grid gained 0.1 %.
_STEPS = (1, 2, 4, 8, 16)
_LARGEST_STEP = 16
_ACCUMULATOR_BYTES = 4
_CHUNK = 512  # shapes per sweep; keeps the candidate grid inside the cache


class _Grid(NamedTuple):
    """Candidate tiles, one row per shape and one column per candidate."""

    m: Ints
    n: Ints
    k: Ints
    fits: Bools


class _Stages(NamedTuple):
    """Cycles of one full-depth tile: load from L2, compute with L0 traffic, store with epilogue."""

    load: Floats
    compute: Floats
    store: Floats


def cost_blocked(shapes: Shapes, device: Device) -> MatrixCost:
    """Cycles of the longest core for each shape with its best tile."""
    parts = [
        _cost_chunk(_rows(shapes, slice(start, start + _CHUNK)), device)
        for start in range(0, max(1, len(shapes.m)), _CHUNK)
    ]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in MatrixCost.__slots__}
    return MatrixCost(**joined)


def _rows(shapes: Shapes, rows: slice) -> Shapes:
    return Shapes(**{name: getattr(shapes, name)[rows] for name in Shapes.__slots__})


def _cost_chunk(shapes: Shapes, device: Device) -> MatrixCost:
    grid = _candidates(shapes, device)
    column = Shapes(**{name: getattr(shapes, name)[:, None] for name in Shapes.__slots__})
    classes = _tile_classes(column, grid)
    stages = [_stages(column, rows, cols, device) for rows, cols, _ in classes]
    slots = _slots([number for _, _, number in classes], device.cores.matrix)
    k_steps = ceil_div(column.k, grid.k)
    steady = _weighted(slots, [np.maximum(np.maximum(s.load, s.compute), s.store) for s in stages])
    # The pipeline fills with the first step of the first tile and empties with the last store.
    first = stages[0]
    load, compute = first.load / k_steps, first.compute / k_steps
    fill = load + compute + first.store - np.maximum(np.maximum(load, compute), first.store)
    total = np.where(grid.fits, steady + fill, np.inf)
    best = np.argmin(total, axis=1)[:, None]

    def pick(values: Floats) -> Floats:
        return np.take_along_axis(np.broadcast_to(values, total.shape), best, axis=1)[:, 0]

    def pick_whole(values: Ints) -> Ints:
        return np.take_along_axis(np.broadcast_to(values, total.shape), best, axis=1)[:, 0]

    crossing = column.a * ceil_div(column.n, grid.n) + column.b * ceil_div(column.m, grid.m) + column.rest
    return MatrixCost(
        pipeline=pick(total),
        compute=pick(_weighted(slots, [stage.compute for stage in stages])),
        load=pick(_weighted(slots, [stage.load for stage in stages])),
        store=pick(_weighted(slots, [stage.store for stage in stages])),
        l2_bytes=pick(crossing),
        tile_m=pick_whole(grid.m),
        tile_n=pick_whole(grid.n),
        tile_k=pick_whole(grid.k),
        waves=pick_whole(slots[0] + slots[1] + slots[2] + slots[3]),
    )


def _weighted(slots: list[Ints], cycles: list[Floats]) -> Floats:
    return slots[0] * cycles[0] + slots[1] * cycles[1] + slots[2] * cycles[2] + slots[3] * cycles[3]


def _candidates(shapes: Shapes, device: Device) -> _Grid:
    unit = device.matrix
    side_m, side_n = _sides(shapes.m, unit.m), _sides(shapes.n, unit.n)
    grid_m = np.repeat(side_m, side_n.shape[1], axis=1)
    grid_n = np.tile(side_n, (1, side_m.shape[1]))
    width = shapes.item_bytes[:, None]
    granule = _depth_granule(shapes, device)[:, None]
    l0a, l0b, l1 = (
        size * KIB for size in (device.buffers.l0a_kb, device.buffers.l0b_kb, device.buffers.l1_kb)
    )
    room = np.minimum(l1 // (2 * width * (grid_m + grid_n)), ceil_div(shapes.k[:, None], granule) * granule)
    if l0a:
        room = np.minimum(room, l0a // (2 * width * grid_m))
    if l0b:
        room = np.minimum(room, l0b // (2 * width * grid_n))
    depth = room // granule * granule
    fits = depth > 0
    if device.buffers.l0c_kb:
        fits &= _ACCUMULATOR_BYTES * grid_m * grid_n <= device.buffers.l0c_kb * KIB
    # One granule always fits: a device whose buffers hold less still gets an answer, never an infinite one.
    fits[:, 0] = True
    return _Grid(grid_m, grid_n, np.maximum(depth, granule), fits)


def _sides(size: Ints, granule: int) -> Ints:
    fixed = np.broadcast_to(np.array(_STEPS, dtype=np.int64) * granule, (len(size), len(_STEPS)))
    parts = ceil_div(size, _LARGEST_STEP * granule)
    even = ceil_div(ceil_div(size, parts), granule) * granule
    return np.concatenate([fixed, even[:, None]], axis=1)


def _depth_granule(shapes: Shapes, device: Device) -> Ints:
    faster = np.maximum(1.0, shapes.rate)
    return (device.matrix.k * faster).astype(np.int64)


def _tile_classes(shapes: Shapes, grid: _Grid) -> list[_TileClass]:
    """Rows, columns and number of the full tiles, the two kinds of edge tiles and the corner tiles."""
    full_m, full_n = shapes.m // grid.m, shapes.n // grid.n
    edge_m, edge_n = shapes.m - full_m * grid.m, shapes.n - full_n * grid.n
    has_m, has_n = (edge_m > 0) * shapes.count, (edge_n > 0) * shapes.count
    right, bottom = full_m * has_n, full_n * has_m
    swap = edge_m * grid.n > grid.m * edge_n
    beside, below = (grid.m, edge_n, right), (edge_m, grid.n, bottom)
    larger = _choose(swap, below, beside)
    smaller = _choose(swap, beside, below)
    return [
        (grid.m, grid.n, full_m * full_n * shapes.count),
        larger,
        smaller,
        (edge_m, edge_n, (edge_m > 0) * has_n),
    ]


def _choose(mask: Bools, left: _TileClass, right: _TileClass) -> _TileClass:
    first, second, third = (np.where(mask, a, b) for a, b in zip(left, right, strict=True))
    return first, second, third


def _slots(numbers: list[Ints], cores: int) -> list[Ints]:
    """Tiles of each class on the longest core; idle cores of a wave take tiles of the next class."""
    idle = np.zeros_like(numbers[0])
    slots = []
    for number in numbers:
        left = np.maximum(0, number - idle)
        used = ceil_div(left, cores)
        idle = np.maximum(0, idle - number) + used * cores - left
        slots.append(used)
    return slots


def _stages(shapes: Shapes, rows: Ints, cols: Ints, device: Device) -> _Stages:
    unit, rates = device.matrix, device.rates
    high, wide = ceil_div(rows, unit.m) * unit.m, ceil_div(cols, unit.n) * unit.n
    granule = _depth_granule(shapes, device)
    blocks = (high // unit.m) * (wide // unit.n) * ceil_div(shapes.k, granule)
    slower = np.minimum(1.0, shapes.rate) * device.efficiency.matrix
    compute = blocks * (unit.m * unit.n * unit.k / unit.macs_per_cycle) / slower + (unit.m + unit.n)
    depth = ceil_div(shapes.k, granule) * granule * shapes.item_bytes
    if rates.l1_l0a:
        compute = np.maximum(compute, high * depth / rates.l1_l0a)
    if rates.l1_l0b:
        compute = np.maximum(compute, wide * depth / rates.l1_l0b)
    of_a = shapes.a * rows / (shapes.m * shapes.count)
    of_b = shapes.b * cols / (shapes.n * shapes.count)
    load = (of_a + of_b) / rates.l2_read
    share = rows * cols / (shapes.m * shapes.n * shapes.count)
    store = (shapes.written + shapes.rest) * share / (rates.ub_l2 or rates.l2_write)
    if rates.l0c_ub:
        store = np.maximum(store, high * wide * _ACCUMULATOR_BYTES / rates.l0c_ub)
    store = np.maximum(store, shapes.epilogue * share)
    return _Stages(load, compute, store)
