"""Units of stored values and how people read them."""

from __future__ import annotations

import re

PS_PER_SECOND = 1_000_000_000_000
PS_PER_US = 1_000_000
PS_PER_NS = 1_000

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {
    "B": 1.0,
    "kB": 1e3,
    "KB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
}
_OTHERS = {
    "J": ("J", 1.0),
    "mJ": ("J", 1e-3),
    "uJ": ("J", 1e-6),
    "W": ("W", 1.0),
    "mW": ("W", 1e-3),
    "count": ("count", 1.0),
    "cycles": ("cycles", 1.0),
}
_RATE = re.compile(r"(1|[A-Za-z_]+)/([a-z]+)")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")

_TIME_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps"))
_BYTE_STEPS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_ENERGY_STEPS = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "uJ"))
_COUNT_STEPS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    if value == 0.0:
        return f"0 {next(name for factor, name in steps if factor == 1.0)}".strip()
    for factor, name in steps:
        if abs(value) >= factor:
            return f"{_three_digits(value / factor)} {name}".strip()
    factor, name = steps[-1]
    return f"{_three_digits(value / factor)} {name}".strip()


def _three_digits(value: float) -> str:
    size = abs(value)
    if size >= 99.95:  # noqa: PLR2004 - from here on no decimals are left of three significant digits
        return f"{value:.0f}"
    if size >= 9.995:  # noqa: PLR2004 - one decimal
        return f"{value:.1f}"
    return f"{value:.2f}"


def read_duration(text: str) -> float | None:
    """`30 s` or `5min` in seconds; None when it is no time above zero with a unit."""
    match = _DURATION.fullmatch(text)
    if match is None or match[2] not in _SECONDS or float(match[1]) == 0.0:
        return None
    return float(match[1]) * _SECONDS[match[2]]


def read_size(text: str) -> int | None:
    """`2 GB` or `512MiB` in bytes; None when it is no size above zero with a unit."""
    match = _SIZE.fullmatch(text)
    if match is None or match[2] not in _BYTES:
        return None
    return round(float(match[1]) * _BYTES[match[2]]) or None


def read_unit(text: str) -> tuple[str, float] | None:
    """The stored unit of a unit as a suite writes it, and the factor to it; None if unknown.

    `ms` is .001 `s`.
    Anything per time is a rate: `MB/s` in `B/s`, `images/s` and `1/ms` in `1/s`.
    """
    if text in _SECONDS:
        return "s", _SECONDS[text]
    if text in _BYTES:
        return "B", _BYTES[text]
    rate = _RATE.fullmatch(text)
    if rate is not None and rate[2] in _SECONDS:
        bytes_each = _BYTES.get(rate[1])
        factor = (bytes_each or 1.0) / _SECONDS[rate[2]]
        return ("1/s" if bytes_each is None else "B/s"), factor
    return _OTHERS.get(text)


def readable(value: float, unit: str) -> str:
    """A value with three significant digits in the unit a person would choose.

    Known units: `s`, `B`, `B/s`, `J`, `count`, `cycles`, `1/s`; another unit is printed as it is.
    """
    if unit == "s":
        return _scaled(value, _TIME_STEPS)
    if unit in {"B", "B/s"}:
        return _scaled(value, _BYTE_STEPS) + unit.removeprefix("B")
    if unit == "J":
        return _scaled(value, _ENERGY_STEPS)
    if unit == "count":
        return f"{value:.0f}" if float(value).is_integer() else _three_digits(value)
    if unit == "cycles":
        return f"{_scaled(value, _COUNT_STEPS)} cycles"
    return f"{_three_digits(value)} {unit}"


def percent(relative: float) -> str:
    """A relative change as signed percent, one decimal below 100 %: 3.09 is `+309 %`."""
    value = relative * 100
    size = abs(value)
    if size >= 99.95:  # noqa: PLR2004 - from here on no decimals
        return f"{value:+.0f} %"
    return f"{value:+.1f} %"
