"""What the memory plan of a program means: peak, lower bound, fragmentation, who is live when.

Two measures of fragmentation that answer different questions: the *index* says how scattered the free bytes
are, the *rate* which share of the arena is taken without being used. Both are taken at the peak.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate.compiler.memory import aligned
from perfgate.compiler.program import Pool

if TYPE_CHECKING:
    from perfgate.compiler.program import Buffer, Program

FREE_BLOCK_STEPS = (64 << 20, 256 << 20, 1 << 30)  # upper ends of the histogram's classes; the last is open


class LiveTensor(msgspec.Struct, frozen=True, gc=False):
    """A buffer that is live at the peak, with the operator that wrote it ("" for inputs)."""

    buffer: int
    tensor: str
    size: int
    op: str


class MemoryEvent(msgspec.Struct, frozen=True, gc=False):
    """A buffer taken (`alloc`) before or given back (`free`) after a kernel; every alloc has its free."""

    kernel: int
    kind: str
    buffer: int
    tensor: str
    size: int
    offset: int


class MemoryReport(msgspec.Struct, frozen=True):
    """Bytes of a program on its device.

    `peak` is weights plus the highest address of activations and workspace. `lower_bound` is what the same
    lives need at the least. `free_blocks` counts gaps up to each of `FREE_BLOCK_STEPS`, the last class is
    open. `host` is staging memory of the host.
    """

    peak: int
    lower_bound: int
    weights: int
    activations: int
    workspace: int
    host: int
    peak_kernel: int
    largest_free: int
    fragmentation_index: float
    fragmentation_rate: float
    free_blocks: tuple[int, ...]
    live_at_peak: tuple[LiveTensor, ...]


def pool_extent(buffers: tuple[Buffer, ...], pool: Pool) -> int:
    """Highest address of a pool."""
    return max((buffer.offset + aligned(buffer.size) for buffer in buffers if buffer.pool is pool), default=0)


def live_bytes(buffers: tuple[Buffer, ...], kernels: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Aligned bytes of activations and workspace that are live at each kernel; in-place chains count once."""
    change = np.zeros(kernels + 2, dtype=np.int64)
    followers = _followers(buffers)
    for buffer in _owners_of_bytes(buffers):
        change[buffer.first] += aligned(buffer.size)
        change[_end(buffer, buffers, followers) + 1] -= aligned(buffer.size)
    return np.cumsum(change)[: max(1, kernels)]


def _owners_of_bytes(buffers: tuple[Buffer, ...]) -> list[Buffer]:
    return [
        buffer
        for buffer in buffers
        if buffer.pool in (Pool.ACTIVATIONS, Pool.WORKSPACE) and buffer.in_place_of < 0 and buffer.first >= 0
    ]


def _followers(buffers: tuple[Buffer, ...]) -> dict[int, int]:
    return {buffer.in_place_of: buffer.id for buffer in buffers if buffer.in_place_of >= 0}


def _end(buffer: Buffer, buffers: tuple[Buffer, ...], followers: dict[int, int]) -> int:
    last = buffer.last
    number = buffer.id
    while number in followers:
        number = followers[number]
        last = max(last, buffers[number].last)
    return last


def report_memory(program: Program, pool_bytes: int = 0) -> MemoryReport:
    """Measure the plan of a program; `pool_bytes` is the reserved arena, 0 for one that just fits."""
    buffers = program.buffers
    live = live_bytes(buffers, len(program.kernels))
    peak_kernel = int(np.argmax(live))
    weights, activations = pool_extent(buffers, Pool.WEIGHTS), pool_extent(buffers, Pool.ACTIVATIONS)
    workspace = pool_extent(buffers, Pool.WORKSPACE)
    present = _present(buffers, peak_kernel)
    arena = max(activations, pool_bytes)
    gaps = _gaps(present, arena)
    free = sum(gaps)
    used = sum(buffer.size for buffer in present)
    largest = max(gaps, default=0)
    return MemoryReport(
        peak=weights + activations + workspace,
        lower_bound=weights + int(live.max()),
        weights=weights,
        activations=activations,
        workspace=workspace,
        host=pool_extent(buffers, Pool.HOST),
        peak_kernel=peak_kernel,
        largest_free=largest,
        fragmentation_index=1.0 - largest / free if free else 0.0,
        fragmentation_rate=(arena - used) / arena if arena else 0.0,
        free_blocks=_histogram(gaps),
        live_at_peak=_live(program, present),
    )


def _present(buffers: tuple[Buffer, ...], kernel: int) -> list[Buffer]:
    followers = _followers(buffers)
    return [b for b in _owners_of_bytes(buffers) if b.first <= kernel <= _end(b, buffers, followers)]


def _gaps(present: list[Buffer], arena: int) -> list[int]:
    blocks = sorted((buffer.offset, buffer.offset + aligned(buffer.size)) for buffer in present)
    edges = [(0, 0), *blocks, (arena, arena)]
    return [right[0] - left[1] for left, right in pairwise(edges) if right[0] > left[1]]


def _histogram(gaps: list[int]) -> tuple[int, ...]:
    counts = [0] * (len(FREE_BLOCK_STEPS) + 1)
    for gap in gaps:
        counts[sum(gap > step for step in FREE_BLOCK_STEPS)] += 1
    return tuple(counts)


def _live(program: Program, present: list[Buffer]) -> tuple[LiveTensor, ...]:
    writers = {access.buffer: kernel for kernel in reversed(program.kernels) for access in kernel.writes}
    found = []
    for buffer in sorted(present, key=lambda item: (-item.size, item.id)):
        writer = writers.get(buffer.id)
        found.append(
            LiveTensor(buffer.id, buffer.tensor, buffer.size, f"{writer.op} {writer.name}" if writer else "")
        )
    return tuple(found)


def memory_events(program: Program) -> tuple[MemoryEvent, ...]:
    """The allocation log: allocs before frees are paired by buffer, in order of kernels."""
    buffers, kernels = program.buffers, len(program.kernels)
    followers = _followers(buffers)
    events = []
    for buffer in _owners_of_bytes(buffers):
        end = min(_end(buffer, buffers, followers), kernels)
        row = (buffer.id, buffer.tensor, buffer.size, buffer.offset)
        events.append(MemoryEvent(buffer.first, "alloc", *row))
        events.append(MemoryEvent(end, "free", *row))
    return tuple(sorted(events, key=lambda event: (event.kernel, event.kind, event.buffer)))
