"""A row of spans in whole nanoseconds whose sums are those of the picoseconds behind them."""

from __future__ import annotations

from typing import NamedTuple

PS_PER_NS = 1000


def nanoseconds(picoseconds: int) -> int:
    """To the nearest nanosecond."""
    return (picoseconds + PS_PER_NS // 2) // PS_PER_NS


class Placed(NamedTuple):
    """A span in nanoseconds; `free` is when the lane was free before it, `idle_ps` the exact time since."""

    free: int
    start: int
    end: int
    idle_ps: int


class Lane:
    """Places spans one after the other.

    Busy and idle time are rounded as running sums: spans never overlap, lie within 1 ns of their true place,
    and together are as long as the lane was busy, to the nanosecond. Rounding each span by itself would let
    the sum of 10,000 spans drift by microseconds. A span that would begin inside the one before begins at
    its end: nested operators of a timed runtime bring their own time only.
    """

    __slots__ = ("_busy_ps", "_idle_ps")

    def __init__(self) -> None:
        self._busy_ps = 0
        self._idle_ps = 0

    def place(self, start_ps: int, duration_ps: int) -> Placed:
        """The span in nanoseconds."""
        free = self._now()
        idle = max(0, start_ps - self._busy_ps - self._idle_ps)
        self._idle_ps += idle
        start = self._now()
        self._busy_ps += duration_ps
        return Placed(free, start, self._now(), idle)

    def _now(self) -> int:
        return nanoseconds(self._busy_ps) + nanoseconds(self._idle_ps)
