"""Placed memory blocks by time, to find the gaps that are free during a life."""

from __future__ import annotations


class IntervalIndex:
    """Blocks (low, high) with their lives [first, last] in kernel indices.

    A block lies in buckets whose width is the power of two at or above its life's length, so it is in at most
    two, and a query looks into few: time per query follows the number of blocks that overlap, not all.
    """

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        self._levels: dict[int, dict[int, list[tuple[int, int, int, int]]]] = {}

    def add(self, first: int, last: int, block: tuple[int, int]) -> None:
        """Place a block for the kernels first .. last, both included."""
        level = (last - first).bit_length()
        buckets = self._levels.get(level)
        if buckets is None:
            buckets = self._levels[level] = {}
        entry = (block[0], block[1], first, last)
        low, high = first >> level, last >> level
        buckets.setdefault(low, []).append(entry)
        if high != low:
            buckets.setdefault(high, []).append(entry)

    def overlapping(self, first: int, last: int) -> list[tuple[int, int]]:
        """Blocks alive at any of the kernels first .. last, sorted by address; one block may come twice."""
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

    def best_gap(self, first: int, last: int, size: int) -> int:
        """Start of the smallest gap that holds `size` during the life; the lowest one among equals."""
        best, best_room = -1, 0
        end = 0
        for low, high in self.overlapping(first, last):
            room = low - end
            if room >= size and (best < 0 or room < best_room):
                best, best_room = end, room
            end = max(end, high)
        return end if best < 0 else best
