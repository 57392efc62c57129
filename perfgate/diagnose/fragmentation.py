"""Fragmentation of an arena: how its free bytes lie between the blocks that are taken.

Two measures that answer different questions, as in `compiler.memory_report`: the *index* says how scattered
the free bytes are (0: one piece), the *rate* which share of the reserved bytes is unused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

# Upper ends of the classes of free blocks, the last is open; those of `Memory.free_blocks` (a test compares).
FREE_BLOCK_STEPS = (64 << 20, 256 << 20, 1 << 30)


class Fragmentation(msgspec.Struct, frozen=True, kw_only=True):
    """An arena at one moment: `used` and `gaps` are bytes, gaps in order of address."""

    arena: int
    used: int
    gaps: tuple[int, ...]

    @property
    def free(self) -> int:
        """All free bytes."""
        return sum(self.gaps)

    @property
    def largest_free(self) -> int:
        """The largest block that can still be taken in one piece."""
        return max(self.gaps, default=0)

    @property
    def index(self) -> float:
        """See `fragmentation_index`."""
        return fragmentation_index(self.largest_free, self.free)

    @property
    def rate(self) -> float:
        """See `fragmentation_rate`."""
        return fragmentation_rate(self.arena, self.used)

    @property
    def free_blocks(self) -> tuple[int, ...]:
        """Count of gaps up to each of `FREE_BLOCK_STEPS`, and above the last."""
        counts = [0] * (len(FREE_BLOCK_STEPS) + 1)
        for gap in self.gaps:
            counts[sum(gap > step for step in FREE_BLOCK_STEPS)] += 1
        return tuple(counts)


def fragmentation_index(largest_free: float, total_free: float) -> float:
    """1 - largest free block / free bytes; 0 where nothing is free."""
    return 1.0 - largest_free / total_free if total_free else 0.0


def fragmentation_rate(reserved: float, used: float) -> float:
    """(reserved - used) / reserved; 0 where nothing is reserved."""
    return (reserved - used) / reserved if reserved else 0.0


def fragmentation(placed: Iterable[tuple[int, int]], arena: int) -> Fragmentation:
    """Gaps of an arena between blocks of (offset, size).

    Raises:
        ValueError: blocks overlap, or leave the arena: they are not of one pool.
    """
    end = used = 0
    gaps = []
    for offset, size in sorted(placed):
        if offset < end:
            raise ValueError(f"the block at {offset} overlaps the one before it")
        if offset > end:
            gaps.append(offset - end)
        end = offset + size
        used += size
    if end > arena:
        raise ValueError(f"blocks end at {end}, the arena at {arena}")
    if arena > end:
        gaps.append(arena - end)
    return Fragmentation(arena=arena, used=used, gaps=tuple(gaps))
