"""Placed memory blocks by time, to find the gaps that are free during a life."""

from __future__ import annotations


class IntervalIndex:
    """Blocks (low, high) of members with lives [first, last] in kernel indices.

    A block lies in buckets whose width is the power of two at or above its life's length, so it is in at most
    two, and a query looks into few: time per query follows the number of blocks that overlap, not all.
    """

    __slots__ = ("_levels", "_lives")

    def __init__(self, lives: list[tuple[int, int]]) -> None:
        self._lives = lives
        self._levels: dict[int, dict[int, list[tuple[int, int, int, int]]]] = {}

    def add(self, member: int, block: tuple[int, int]) -> None:
        """Place a member."""
        first, last = self._lives[member]
        level = (last - first).bit_length()
        buckets = self._levels.get(level)
        if buckets is None:
            buckets = self._levels[level] = {}
        entry = (block[0], block[1], first, last)
        low, high = first >> level, last >> level
        buckets.setdefault(low, []).append(entry)
        if high != low:
            buckets.setdefault(high, []).append(entry)

    def overlapping(self, member: int) -> list[tuple[int, int]]:
        """Blocks alive at any kernel of the member's life, sorted by address; one block may come twice."""
        first, last = self._lives[member]
        found = []
        for level, buckets in self._levels.items():
            low, high = first >> level, last >> level
            if high - low > len(buckets):
                entries = [entry for bucket in buckets.values() for entry in bucket]
            else:
                entries = [entry for number in range(low, high + 1) for entry in buckets.get(number, ())]
            found += [(entry[0], entry[1]) for entry in entries if entry[2] <= last and entry[3] >= first]
        found.sort()
        return found


def best_gap(blocks: list[tuple[int, int]], size: int) -> int:
    """Start of the smallest gap between sorted blocks that holds `size`; the lowest one among equals."""
    best, best_room = -1, 0
    end = 0
    for low, high in blocks:
        room = low - end
        if room >= size and (best < 0 or room < best_room):
            best, best_room = end, room
        end = max(end, high)
    return end if best < 0 else best
