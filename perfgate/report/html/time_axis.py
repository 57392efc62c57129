"""The unit of a time axis: one for all times of a view, so that ticks are small round numbers."""

from __future__ import annotations

from dataclasses import dataclass

from perfgate.core.units import PS_PER_SECOND, readable

_UNITS = (("s", PS_PER_SECOND), ("ms", 10**9), ("us", 10**6), ("ns", 1000), ("ps", 1))


@dataclass(frozen=True, slots=True)
class TimeUnit:
    """A unit with its length; coordinates of a drawing are times over `ps`."""

    name: str
    ps: int


def time_unit(longest_ps: int) -> TimeUnit:
    """The largest unit that the longest time fills at least once."""
    for name, ps in _UNITS:
        if longest_ps >= ps:
            return TimeUnit(name, ps)
    return TimeUnit(*_UNITS[-1])


def readable_ps(value: float) -> str:
    """Picoseconds as people read them."""
    return readable(value / PS_PER_SECOND, "s")
