"""The unit of an axis of bytes: one for all sizes of a drawing, so that ticks are small round numbers."""

from __future__ import annotations

from dataclasses import dataclass

_UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))


@dataclass(frozen=True, slots=True)
class ByteUnit:
    """A unit with its size; coordinates of a drawing are bytes over `size`."""

    name: str
    size: int


def byte_unit(largest: float) -> ByteUnit:
    """The largest unit that the largest size fills at least once."""
    for name, size in _UNITS:
        if largest >= size:
            return ByteUnit(name, size)
    return ByteUnit(*_UNITS[-1])
