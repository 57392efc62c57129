"""Device memory over one step: the curve, the peak, what lives at it, and both measures of fragmentation.

The plan (offsets) is the compiler's; here its lifetimes meet the times of the schedule. An in-place result
has no bytes of its own. `fragmentation_index` is 1 - largest free block / all free bytes of the arena at the
peak, 0 when nothing is free; `fragmentation_rate` is (arena - used) / arena. They answer different questions.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfgate.compiler.program import Buffer, Pool
from perfgate.core.profile import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.npu.columns import Ints
    from perfgate.npu.simulation import Execution

ALIGNMENT = 512
_CURVE_POINTS = 400  # more cannot be told apart on a page
_LARGEST_SHOWN = 20


class _Life(NamedTuple):
    """Buffers of the arena that have bytes of their own, with the time they live."""

    buffers: list[Buffer]
    sizes: Ints
    born: Ints
    dies: Ints


def memory_use(execution: Execution) -> Memory:
    """Memory of one step; `peak` counts weights and the arena up to its highest used address."""
    buffers = execution.program.buffers
    weights = sum(_aligned(buffer.size) for buffer in buffers if buffer.pool is Pool.WEIGHTS)
    life = _lives(execution)
    arena = _arena(life.buffers)
    times, used = _curve(life)
    top = int(used.argmax()) if len(used) else 0
    live = [] if not len(used) else _live_at(life, int(times[top]))
    free = _free_blocks(live, arena)
    in_use = sum(_aligned(buffer.size) for buffer in live)
    return Memory(
        peak=weights + arena,
        lower_bound=weights + (int(used.max()) if len(used) else 0),
        weights=weights,
        capacity=execution.device.dram.bytes,
        curve=_thinned(times, used + weights),
        at_peak=tuple(
            (buffer.tensor, buffer.size)
            for buffer in sorted(live, key=lambda item: (-item.size, item.id))[:_LARGEST_SHOWN]
        ),
        fragmentation_index=1.0 - max(free) / sum(free) if sum(free) else 0.0,
        fragmentation_rate=(arena - in_use) / arena if arena else 0.0,
        allocations=int(execution.allocations.sum()),
    )


def free_blocks(execution: Execution) -> tuple[int, ...]:
    """Sizes of the arena's free blocks at the peak, in order of address: the data of the histogram."""
    life = _lives(execution)
    times, used = _curve(life)
    live = _live_at(life, int(times[used.argmax()])) if len(used) else []
    return tuple(_free_blocks(live, _arena(life.buffers)))


def _lives(execution: Execution) -> _Life:
    schedule = execution.schedule
    makespan = schedule.makespan
    last = {buffer.id: buffer.last for buffer in execution.program.buffers}
    for buffer in reversed(execution.program.buffers):
        if buffer.in_place_of >= 0:
            last[buffer.in_place_of] = max(last[buffer.in_place_of], last[buffer.id])
    own = [
        buffer
        for buffer in execution.program.buffers
        if buffer.pool in (Pool.ACTIVATIONS, Pool.WORKSPACE) and buffer.in_place_of < 0 and buffer.first >= 0
    ]
    start, end = schedule.start, np.append(schedule.end, makespan)
    return _Life(
        buffers=own,
        sizes=np.array([_aligned(buffer.size) for buffer in own], dtype=np.int64),
        born=start[np.array([buffer.first for buffer in own], dtype=np.int64)],
        dies=end[np.minimum(np.array([last[buffer.id] for buffer in own], dtype=np.int64), len(start))],
    )


def _curve(life: _Life) -> tuple[Ints, Ints]:
    """Bytes in use after every change; what dies at a moment leaves before what is born then."""
    times = np.concatenate([life.dies, life.born])
    changes = np.concatenate([-life.sizes, life.sizes])
    order = np.argsort(times, kind="stable")
    return times[order], np.cumsum(changes[order])


def _live_at(life: _Life, time: int) -> list[Buffer]:
    chosen = np.flatnonzero((life.born <= time) & (life.dies > time))
    return [life.buffers[index] for index in chosen.tolist()]


def _arena(buffers: Sequence[Buffer]) -> int:
    return max((_aligned(buffer.offset + buffer.size) for buffer in buffers), default=0)


def _free_blocks(live: Sequence[Buffer], arena: int) -> list[int]:
    blocks, position = [], 0
    for buffer in sorted(live, key=lambda item: item.offset):
        if buffer.offset > position:
            blocks.append(buffer.offset - position)
        position = max(position, _aligned(buffer.offset + buffer.size))
    if arena > position:
        blocks.append(arena - position)
    return blocks


def _thinned(times: Ints, used: Ints) -> tuple[tuple[int, int], ...]:
    """At most `_CURVE_POINTS` points; of each group the highest, so the peak stays."""
    if len(times) > _CURVE_POINTS:
        edges = np.linspace(0, len(times), _CURVE_POINTS + 1).astype(np.int64)
        kept = np.array([low + int(used[low:high].argmax()) for low, high in pairwise(edges.tolist())])
        times, used = times[kept], used[kept]
    return tuple(zip(times.tolist(), used.tolist(), strict=True))


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
