"""Units as other tools write them, and what they mean here: unit, factor, direction, kind."""

from __future__ import annotations

import re

import msgspec

from perfgate.core.metric import Direction, Kind, Metric

_TIMES = {
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "millisecond": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,  # micro sign
    "μs": 1e-6,  # Greek letter
    "usec": 1e-6,
    "microsecond": 1e-6,
    "ns": 1e-9,
    "nsec": 1e-9,
    "nanosecond": 1e-9,
    "ps": 1e-12,
}
_BYTES = {
    "b": 1.0,
    "byte": 1.0,
    "kb": 1e3,
    "kilobyte": 1e3,
    "mb": 1e6,
    "megabyte": 1e6,
    "gb": 1e9,
    "gigabyte": 1e9,
    "kib": 1024.0,
    "mib": 1024.0**2,
    "gib": 1024.0**3,
}
_BITS = re.compile(r"[kKMG]i?b|b")  # a small b is a bit to some and a byte to others
_COUNTS = frozenset({"alloc", "allocation", "instruction", "cycle"})  # fewer of them is better
_NAMES = {"s": "latency", "1/s": "throughput", "B/s": "bandwidth", "B": "size", "count": "count"}


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """A stored value is `factor` times the file's value."""

    unit: str
    factor: float
    direction: Direction
    kind: Kind

    def metric(self, name: str = "") -> Metric:
        """The metric of this unit; without a name the usual one, such as `latency` for a time."""
        return Metric(
            name=name or _NAMES[self.unit], unit=self.unit, direction=self.direction, kind=self.kind
        )


def scale_of(text: str) -> Scale | None:
    """What a unit such as `ns`, `ops/ms`, `MB/s`, `B/op`, `allocs/op` means; None where that is not certain.

    A time per anything is a time; anything per time is a rate, of which more is better. Bytes and allocations
    repeat themselves, so they are exact; times and rates have noise.
    """
    parts = text.strip().replace(" per ", "/").partition("/")
    if _BITS.fullmatch(parts[0].strip()):
        return None
    top, _, bottom = map(_word, parts)
    if bottom in _TIMES:
        factor = _BYTES.get(top, 1.0) / _TIMES[bottom]
        unit = "B/s" if top in _BYTES else "1/s"
        return None if top in _TIMES else _scale(unit, factor, Direction.HIGHER, Kind.SAMPLED)
    if top in _TIMES:
        return _scale("s", _TIMES[top], Direction.LOWER, Kind.SAMPLED)
    if top in _BYTES:
        return _scale("B", _BYTES[top], Direction.LOWER, Kind.EXACT)
    if top in _COUNTS:
        return _scale("count", 1.0, Direction.LOWER, Kind.EXACT)
    return None


def seconds(text: str) -> float | None:
    """How many seconds one of this unit of time is, None for any other unit."""
    return _TIMES.get(_word(text))


def metric_name(text: str) -> str:
    """A unit or title as the name of a metric: `req/s` is `req_per_s`."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower().replace("/", "_per_")).strip("_") or "value"


def _word(text: str) -> str:
    word = text.strip().lower()
    return word[:-1] if len(word) > 2 and word.endswith("s") and word not in _TIMES else word  # noqa: PLR2004 - `ms` is no plural


def _scale(unit: str, factor: float, direction: Direction, kind: Kind) -> Scale:
    return Scale(unit=unit, factor=factor, direction=direction, kind=kind)
