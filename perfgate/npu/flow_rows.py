"""Data flow of a profile: bytes that operators hand to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.execution_profile import FlowRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.npu.columns import Ints
    from perfgate.npu.phase import Phase

OUTSIDE = -1


def flow_rows(phases: Sequence[Phase]) -> tuple[FlowRow, ...]:
    """Bytes by (writer, reader) in the whole execution, ordered by both; an operator's own are left out."""
    sizes: dict[tuple[int, int], int] = {}
    for phase in phases:
        for pair, size in _step_flows(phase).items():
            sizes[pair] = sizes.get(pair, 0) + size
    return tuple([FlowRow(source, target, sizes[source, target]) for source, target in sorted(sizes)])


def _step_flows(phase: Phase) -> dict[tuple[int, int], int]:
    columns = phase.execution.columns
    rows = columns.accesses
    if not len(rows.kernel):
        return {}
    # By buffer and kernel, reads of a kernel before its writes: the writer of a read is the last write above.
    order = np.lexsort((rows.is_write, rows.kernel, rows.buffer))
    kernel, buffer, is_write = rows.kernel[order], rows.buffer[order], rows.is_write[order]
    place = np.maximum.accumulate(np.where(is_write, np.arange(len(order)), -1))
    known = (place >= 0) & (buffer[np.maximum(place, 0)] == buffer)
    numbers = _operator_numbers(phase)
    source = np.where(known, numbers[columns.owner[kernel[np.maximum(place, 0)]]], OUTSIDE)
    target = numbers[columns.owner[kernel]]
    size = rows.size[order] * columns.repeat[kernel] * phase.times
    chosen = ~is_write & (source != target)
    # Both numbers in one: finding equal pairs of a row each is several times slower.
    width = int(numbers.max()) + 2
    pairs, which = np.unique((source[chosen] + 1) * width + target[chosen] + 1, return_inverse=True)
    sums = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(sums, which, size[chosen])
    left, right = (pairs // width - 1).tolist(), (pairs % width - 1).tolist()
    return dict(zip(zip(left, right, strict=True), sums.tolist(), strict=True))


def _operator_numbers(phase: Phase) -> Ints:
    """Numbers by index of owner, with that of nobody (index -1) last."""
    return np.array([*(owner.number for owner in phase.execution.program.owners), OUTSIDE], dtype=np.int64)
