"""RuntimeConfig: the keys of the runtime file as a value, or kept as unhandled with their place."""

from __future__ import annotations

from enum import StrEnum
from math import ceil, floor

import msgspec

from perfgate.compiler.program import Unhandled


class StreamPriority(StrEnum):
    """Order of ready kernels against other work on the device."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class Background(msgspec.Struct, frozen=True, kw_only=True):
    """Other work on the device: share of the time, its priority, and the length of one of its kernels."""

    load: float
    priority: StreamPriority = StreamPriority.NORMAL
    kernel_us: float = 100.0


class TeaCache(msgspec.Struct, frozen=True, kw_only=True):
    """Which iterations reuse the stored output of the cacheable region: every `every`-th between two shares."""

    every: int = 6
    start: float = 0.2  # `from` in the file
    stop: float = 0.8  # `to`

    def reused(self, iterations: int) -> tuple[int, ...]:
        """Iterations that reuse: 28 of them with the defaults give 6, 12, 18."""
        first, last = ceil(self.start * iterations), floor(self.stop * iterations)
        return tuple(range(max(1, first), last + 1, self.every))  # the first iteration has nothing to reuse


class RuntimeConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How the compiled program is run; the defaults are what an absent key means.

    `memory_pool` is the arena in bytes reserved at load, 0 for as much as the plan needs.
    """

    memory_pool: int = 0
    pinned_memory: bool = False
    streams: int = 1
    stream_priority: StreamPriority = StreamPriority.NORMAL
    background: Background | None = None
    tea_cache: TeaCache | None = None
    unhandled: tuple[Unhandled, ...] = ()
    notes: tuple[str, ...] = ()
