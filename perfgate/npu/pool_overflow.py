"""Buffers that do not fit the reserved arena and are therefore allocated at every execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfgate.compiler.program import Pool

if TYPE_CHECKING:
    from perfgate.compiler.program import Program
    from perfgate.npu.columns import Columns, Ints


def overflow_allocations(program: Program, columns: Columns, pool_bytes: int) -> Ints:
    """Allocations just before each kernel; all 0 when `pool_bytes` is 0 (the arena is as large as the plan).

    A buffer overflows when the plan places its end past the arena's; it is allocated before its first kernel.
    Weights lie in a pool of their own and are allocated at load.
    """
    counts = np.zeros(columns.size, dtype=np.int64)
    if not pool_bytes:
        return counts
    for buffer in program.buffers:
        if (
            buffer.pool not in (Pool.ACTIVATIONS, Pool.WORKSPACE)
            or buffer.in_place_of >= 0
            or buffer.first < 0
        ):
            continue
        if buffer.offset + buffer.size > pool_bytes:
            counts[buffer.first] += 1
    return counts * columns.repeat
