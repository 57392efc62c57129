"""Matrix products on a GPU (waves of tiles over multiprocessors) and on a systolic array (folds).

Formulas of SIMULATOR section 7. The systolic form is the closed form of SCALE-Sim without stalls: folds never
overlap. The wave form leaves out split-K, so a product with few tiles and a long k is priced too high.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.device import Dataflow
from perfgate.npu.matrix_shape import MatrixCost, Shapes, ceil_div

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.npu.columns import Ints

_K_STEP = 32  # a wave kernel reads k in steps of 32


def cost_wave(shapes: Shapes, device: Device) -> MatrixCost:
    """Cycles of each shape with the best of the device's tiles."""
    columns = {name: getattr(shapes, name)[:, None] for name in Shapes.__slots__}
    m, n, k = columns["m"], columns["n"], columns["k"]
    tile_m = np.array([tile.m for tile in device.wave.tiles], dtype=np.int64)[None, :]
    tile_n = np.array([tile.n for tile in device.wave.tiles], dtype=np.int64)[None, :]
    reached = np.array([tile.efficiency for tile in device.wave.tiles])[None, :]
    depth = ceil_div(k, _K_STEP) * _K_STEP
    rate = device.matrix.macs_per_cycle * columns["rate"] * device.efficiency.matrix * reached
    tile_cycles = tile_m * tile_n * depth / rate
    tiles = ceil_div(m, tile_m) * ceil_div(n, tile_n) * columns["count"]
    waves = ceil_div(tiles, device.cores.matrix)
    total = waves * (tile_cycles + device.wave.prologue_cycles)
    best = np.argmin(total, axis=1)
    row = np.arange(len(best))
    chosen_m, chosen_n = tile_m[0][best], tile_n[0][best]
    crossing = shapes.a * ceil_div(shapes.n, chosen_n) + shapes.b * ceil_div(shapes.m, chosen_m) + shapes.rest
    epilogue = shapes.epilogue / device.cores.vector
    return MatrixCost(
        pipeline=total[row, best] + epilogue, compute=(waves * tile_cycles)[row, best] + epilogue,
        load=crossing / (device.rates.l2_read * device.cores.matrix),
        store=shapes.written / (device.rates.l2_write * device.cores.matrix),
        l2_bytes=crossing, tile_m=chosen_m, tile_n=chosen_n,
        tile_k=np.full(len(best), _K_STEP, dtype=np.int64), waves=waves[row, best],
    )  # fmt: skip


def systolic_cycles(rows: Ints, cols: Ints, steps: Ints, device: Device) -> Ints:
    """Index of the last cycle, counted from 0, of `rows` x `cols` of work over `steps` steps on one array.

    ceil(Sr/R) * ceil(Sc/C) * (T + R + C - 2 + (R when weights or inputs stay)) - 1.
    """
    high, wide = device.matrix.m, device.matrix.n
    preload = 0 if device.matrix.dataflow is Dataflow.OUTPUT else high
    return ceil_div(rows, high) * ceil_div(cols, wide) * (steps + high + wide - 2 + preload) - 1


def cost_systolic(shapes: Shapes, device: Device) -> MatrixCost:
    """Cycles of each shape; folds are dealt to the cores in turn."""
    rows, cols, steps = _mapping(shapes, device.matrix.dataflow)
    high, wide, cores = device.matrix.m, device.matrix.n, device.cores.matrix
    fold = systolic_cycles(np.minimum(rows, high), np.minimum(cols, wide), steps, device) + 1
    folds = ceil_div(rows, high) * ceil_div(cols, wide) * shapes.count
    waves = ceil_div(folds, cores)
    cycles = waves * fold - 1
    slower = np.minimum(1.0, shapes.rate) * device.efficiency.matrix
    crossing = shapes.a * ceil_div(shapes.n, wide) + shapes.b * ceil_div(shapes.m, high) + shapes.rest
    epilogue = shapes.epilogue / device.cores.vector
    return MatrixCost(
        pipeline=cycles / slower + epilogue, compute=cycles / slower + epilogue,
        load=crossing / (device.rates.l2_read * cores),
        store=shapes.written / (device.rates.l2_write * cores),
        l2_bytes=crossing, tile_m=np.minimum(shapes.m, high), tile_n=np.minimum(shapes.n, wide),
        tile_k=shapes.k, waves=waves,
    )  # fmt: skip


def _mapping(shapes: Shapes, dataflow: Dataflow) -> tuple[Ints, Ints, Ints]:
    if dataflow is Dataflow.OUTPUT:
        return shapes.m, shapes.n, shapes.k
    if dataflow is Dataflow.WEIGHT:
        return shapes.k, shapes.n, shapes.m
    return shapes.k, shapes.m, shapes.n
