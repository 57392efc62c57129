"""Distinct matrix products of a program: each is costed once, however many kernels share its shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.npu.columns import Columns, Floats, Ints
    from perfgate.npu.traffic import Traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """One row per distinct product of m x k by k x n, `count` times over.

    `rate` is the factor on the fp16 MAC rate. `a`, `b`, `rest`, `written` are bytes of the first operand, the
    second, the other reads and the result, weighted by run length. `epilogue` is vector work per kernel.
    """

    m: Ints
    n: Ints
    k: Ints
    count: Ints
    item_bytes: Ints
    rate: Floats
    a: Floats
    b: Floats
    rest: Floats
    written: Floats
    epilogue: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCost:
    """Answer per row of `Shapes`: cycles of the longest core, split by stage, and the tile that gave them.

    `pipeline` is the whole; `compute`, `load` and `store` are the busy cycles of each stage; `l2_bytes`
    counts all bytes that cross from L2 into the cores.
    """

    pipeline: Floats
    compute: Floats
    load: Floats
    store: Floats
    l2_bytes: Floats
    tile_m: Ints
    tile_n: Ints
    tile_k: Ints
    waves: Ints


def distinct_shapes(columns: Columns, traffic: Traffic, rows: Ints, device: Device) -> tuple[Shapes, Ints]:
    """The distinct shapes among kernels `rows`, and for each of these kernels its shape's index."""
    rates = np.array([device.matrix_rate(name) for name in columns.dtypes])
    lanes = vector_lanes(columns, device)
    epilogue = columns.vector_work * np.where(columns.is_high_precision, 2.0, 1.0) / lanes
    table = np.stack(
        [
            columns.m[rows], columns.n[rows], columns.k[rows], columns.count[rows], columns.item_bytes[rows],
            rates[columns.dtype[rows]], traffic.a[rows], traffic.b[rows], traffic.rest[rows],
            traffic.written[rows], epilogue[rows],
        ]
    )  # fmt: skip
    seen: dict[bytes, int] = {}
    packed = np.ascontiguousarray(table.T)
    index = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in packed], dtype=np.int64)
    first = np.zeros(len(seen), dtype=np.int64)
    first[index[::-1]] = np.arange(len(rows))[::-1]
    unique = packed[first]
    m, n, k, count, width = unique[:, :5].astype(np.int64).T
    shapes = Shapes(
        m=np.maximum(m, 1), n=np.maximum(n, 1), k=np.maximum(k, 1), count=np.maximum(count, 1),
        item_bytes=width, rate=unique[:, 5], a=unique[:, 6], b=unique[:, 7], rest=unique[:, 8],
        written=unique[:, 9],
        epilogue=unique[:, 10],
    )  # fmt: skip
    return shapes, index


def vector_lanes(columns: Columns, device: Device) -> Floats:
    """Elements per cycle and vector core for each kernel's element type."""
    return device.vector.bytes_per_cycle / columns.item_bytes


def ceil_div(value: Ints, by: Ints | int) -> Ints:
    """Whole parts needed to hold `value`."""
    return -(-value // by)
