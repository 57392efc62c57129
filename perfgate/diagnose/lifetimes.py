"""What would be saved by giving tensors back earlier, and which tensors are worth keeping close."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.diagnose.memory import Block, Replay

FEW_READS = 8  # between the 2 and the 64 reads of the classes' examples


class EarlyFree(msgspec.Struct, frozen=True, kw_only=True):
    """A block given back at `at`, right after its last reader; `peak` is that of the replay with it alone."""

    block: Block
    at: int
    peak: int


class EarlyFrees(msgspec.Struct, frozen=True, kw_only=True):
    """The peak as it is, the blocks that lower it when freed early, best first, and the peak with all."""

    peak: int
    each: tuple[EarlyFree, ...]
    together: int

    @property
    def saved(self) -> float:
        """Share of the peak that all of them save together."""
        return 1 - self.together / self.peak if self.peak else 0.0


class Reuse(StrEnum):
    """What to do with a tensor, by how often and by how much it is read."""

    RESIDENT = "keep resident"  # read often, larger than the cache
    CACHED = "cache friendly"  # read often, and fits
    FREE_SOON = "free soon"
    TEMPORARY = "temporary"  # read once


def early_frees(played: Replay, last_uses: Mapping[str, int]) -> EarlyFrees:
    """Replay with blocks given back at their last use; those without an effect on the peak are left out.

    `last_uses` is the end of the last reader by block. A block that is reused under the same name has no one
    last use, and is left alone.
    """
    peak = played.peak
    if peak is None:
        return EarlyFrees(peak=0, each=(), together=0)
    times = np.array([time for time, _ in played.curve], dtype=np.int64)
    live = np.array([size for _, size in played.curve], dtype=np.int64)
    found, change = [], np.zeros(len(live) + 1, dtype=np.int64)
    for block, at in _freed_later(played, last_uses):
        # What is freed at a moment is gone for what follows in it.
        first = max(int(np.searchsorted(times, at)), block.first + 1)
        last = len(live) if block.last is None else block.last
        if first >= last:
            continue
        change[first] -= block.size
        change[last] += block.size
        if first <= peak.position < last:
            lowered = int(
                max(live[:first].max(), live[first:last].max() - block.size, live[last:].max(initial=0))
            )
            found.append(EarlyFree(block=block, at=at, peak=lowered))
    return EarlyFrees(
        peak=peak.size,
        each=tuple(sorted((item for item in found if item.peak < peak.size), key=_best_first)),
        together=int((live + np.cumsum(change[:-1])).max()),
    )


def reuse_class(size: int, reads: int, cache_bytes: int) -> Reuse:
    """Class of a tensor by its bytes and the times it is read; `cache_bytes` is the device's last cache."""
    if reads <= 1:
        return Reuse.TEMPORARY
    if reads < FEW_READS:
        return Reuse.FREE_SOON
    return Reuse.CACHED if size <= cache_bytes else Reuse.RESIDENT


def _freed_later(played: Replay, last_uses: Mapping[str, int]) -> list[tuple[Block, int]]:
    """Blocks with their last use, where that is known and the name is used once."""
    names = Counter(block.taken.block for block in played.blocks)
    return [
        (block, last_uses[block.taken.block])
        for block in played.blocks
        if names[block.taken.block] == 1 and block.start <= last_uses.get(block.taken.block, block.start - 1)
    ]


def _best_first(item: EarlyFree) -> tuple[int, int]:
    return (item.peak, item.block.first)
