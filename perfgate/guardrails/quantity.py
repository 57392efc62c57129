"""Numbers with units as rules and checked files write them, compared exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

_KIB = 1024
_SIZES = {"b": 1, "kb": _KIB, "mb": _KIB**2, "gb": _KIB**3, "tb": _KIB**4}
# B, KB, MB, GB are powers of 1024 as the compilers read them; KiB, MiB, GiB are the same.
_SIZES |= {f"{name[0]}ib": factor for name, factor in _SIZES.items() if name != "b"}
_TIMES = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
}
_NUMBER = re.compile(
    r"\s*([-+]?)(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE]([-+]?\d{1,3}))?\s*([^\W\d_]*|%)\s*"
)


class NumberType(StrEnum):
    """What a number measures."""

    INT = "int"
    FLOAT = "float"
    SIZE = "size"
    TIME = "time"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """An exact number in base units (bytes, seconds, percent, or none) and the text it was written as."""

    value: Fraction
    type: NumberType
    written: str

    def __str__(self) -> str:
        return self.written


def read_quantity(text: str) -> Quantity | None:
    """A number with or without a unit; None when the text is not a number or the unit is not known."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, digits, exponent, unit = match.groups()
    value = Fraction(digits) * Fraction(10) ** int(exponent or 0) * (-1 if sign == "-" else 1)
    if not unit:
        is_whole = "." not in digits and exponent is None
        return Quantity(
            value=value, type=NumberType.INT if is_whole else NumberType.FLOAT, written=text.strip()
        )
    if unit == "%":
        return Quantity(value=value, type=NumberType.PERCENT, written=text.strip())
    if unit in _TIMES:
        return Quantity(value=value * _TIMES[unit], type=NumberType.TIME, written=text.strip())
    if unit.lower() in _SIZES:
        return Quantity(value=value * _SIZES[unit.lower()], type=NumberType.SIZE, written=text.strip())
    return None


def read_as(text: str, wanted: NumberType) -> Quantity | None:
    """The text as a quantity of the wanted type, or None.

    A whole number is a float and a size in bytes too; a time needs its unit, because tools differ in theirs.
    """
    quantity = read_quantity(text)
    if quantity is None:
        return None
    allowed = {
        NumberType.INT: (NumberType.INT,),
        NumberType.FLOAT: (NumberType.INT, NumberType.FLOAT),
        NumberType.SIZE: (NumberType.SIZE, NumberType.INT),
        NumberType.TIME: (NumberType.TIME,),
        NumberType.PERCENT: (NumberType.PERCENT, NumberType.INT, NumberType.FLOAT),
    }
    return quantity if quantity.type in allowed[wanted] else None
