"""The program as arrays: one column per field, so cost and schedule need no loop over kernels."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from perfgate.compiler.program import KernelKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.compiler.program import Kernel

MATRIX, VECTOR, LAYOUT, H2D, D2H, HOST = range(6)
KIND_CODES = {
    KernelKind.MATRIX: MATRIX, KernelKind.VECTOR: VECTOR, KernelKind.LAYOUT: LAYOUT,
    KernelKind.H2D: H2D, KernelKind.D2H: D2H, KernelKind.HOST: HOST,
}  # fmt: skip
SOFTMAX_OPS = ("Softmax", "LogSoftmax", "Hardmax", "Attention")
_ITEM_BYTES = {
    "float64": 8, "float32": 4, "int64": 8, "int32": 4, "uint64": 8, "uint32": 4,
    "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2,
}  # fmt: skip

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses:
    """All operands of all kernels in issue order, reads of a kernel before its writes.

    `slow` is `size` divided by the share of the full rate that run length and conversion leave, in bytes.
    `rank` counts the reads of one kernel from 0; writes have -1.
    """

    kernel: Ints
    buffer: Ints
    size: Ints
    slow: Floats
    rank: Ints

    @property
    def is_write(self) -> Bools:
        """Which rows are writes."""
        return self.rank < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """One row per kernel; `kind` as in `KIND_CODES`, `dtype` indexes `dtypes`."""

    kind: Ints
    dtype: Ints
    dtypes: tuple[str, ...]
    item_bytes: Ints
    m: Ints
    n: Ints
    k: Ints
    count: Ints
    macs: Ints
    vector_work: Ints
    row: Ints
    elements: Ints
    link_bytes: Ints
    repeat: Ints
    owner: Ints
    implicit: Bools
    is_high_precision: Bools
    is_softmax: Bools
    accesses: Accesses

    @property
    def size(self) -> int:
        """Number of kernels."""
        return len(self.kind)


def read_columns(kernels: Sequence[Kernel], full_run_bytes: int) -> Columns:
    """Spread kernels into columns; `full_run_bytes` is the device's run length for the full DMA rate."""
    names = [kernel.dtype for kernel in kernels]
    dtypes = tuple(dict.fromkeys(names))
    index = {name: position for position, name in enumerate(dtypes)}
    dtype = np.array([index[name] for name in names], dtype=np.int64)
    widths = np.array([_ITEM_BYTES.get(name, 1) for name in dtypes], dtype=np.int64)

    def numbers(field: str) -> Ints:
        return np.fromiter(map(attrgetter(field), kernels), np.int64, len(kernels))

    return Columns(
        kind=np.array([KIND_CODES[kernel.kind] for kernel in kernels], dtype=np.int64),
        dtype=dtype,
        dtypes=dtypes,
        item_bytes=widths[dtype],
        m=numbers("m"),
        n=numbers("n"),
        k=numbers("k"),
        count=numbers("count"),
        macs=numbers("macs"),
        vector_work=numbers("vector_work"),
        row=numbers("row"),
        elements=numbers("elements"),
        link_bytes=numbers("link_bytes"),
        repeat=numbers("repeat"),
        owner=numbers("owner"),
        implicit=numbers("implicit") != 0,
        is_high_precision=numbers("is_high_precision") != 0,
        is_softmax=np.array([kernel.op in SOFTMAX_OPS for kernel in kernels], dtype=np.bool_),
        accesses=_read_accesses(kernels, full_run_bytes),
    )


def _read_accesses(kernels: Sequence[Kernel], full_run_bytes: int) -> Accesses:
    reads = [access for kernel in kernels for access in kernel.reads]
    rows = [*reads, *(access for kernel in kernels for access in kernel.writes)]
    positions = np.arange(len(kernels))
    read_counts = np.array([len(kernel.reads) for kernel in kernels], dtype=np.int64)
    write_counts = np.array([len(kernel.writes) for kernel in kernels], dtype=np.int64)
    kernel = np.concatenate([np.repeat(positions, read_counts), np.repeat(positions, write_counts)])
    first_read = np.cumsum(read_counts) - read_counts
    rank = np.full(len(rows), -1, dtype=np.int64)
    rank[: len(reads)] = np.arange(len(reads)) - np.repeat(first_read, read_counts)
    order = np.argsort(kernel, kind="stable")

    def numbers(field: str) -> Ints:
        return np.fromiter(map(attrgetter(field), rows), np.int64, len(rows))[order]

    efficiency = np.fromiter(map(attrgetter("efficiency"), rows), np.float64, len(rows))[order]
    size, run = numbers("size"), numbers("run")
    share = np.where(run > 0, np.minimum(1.0, run / full_run_bytes), 1.0) * efficiency
    return Accesses(
        kernel=kernel[order], buffer=numbers("buffer"), size=size, slow=size / share, rank=rank[order]
    )
