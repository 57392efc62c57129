"""Spans of one thread in microseconds, as readers with floating-point numbers add them up."""

from __future__ import annotations

from typing import NamedTuple

from perfgate.report.export.lane import Lane

_NS_PER_US = 1000


class ChromeSpan(NamedTuple):
    """Start and duration as they are written, and the last nanosecond inside."""

    ts: float
    dur: float
    last: float


class ChromeLane:
    """Places spans so that none overlaps the next, also when start and duration are added as doubles.

    65654.437 + 65654.436 is 131308.873 on paper and more than that as doubles. A reader that computes the end
    so would take the next span for a child of this one, so that one starts at the sum: above the nanosecond
    by some 1e-10 of it, which every reader drops again.
    """

    __slots__ = ("_end", "_lane")

    def __init__(self) -> None:
        self._lane = Lane()
        self._end = 0.0

    def place(self, start_ps: int, duration_ps: int) -> ChromeSpan:
        """The span in microseconds."""
        placed = self._lane.place(start_ps, duration_ps)
        ts = max(microseconds(placed.start), self._end)
        dur = microseconds(placed.end - placed.start)
        self._end = ts + dur
        return ChromeSpan(ts, dur, max(ts, microseconds(placed.end - 1)))


def microseconds(nanoseconds: int) -> float:
    """As the format has them: the shortest text of the quotient has its three digits and no more."""
    return nanoseconds / _NS_PER_US
