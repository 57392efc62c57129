"""The exponential by a fixed polynomial: the same bits everywhere, which the C library does not promise.

The argument is quartered, a Taylor polynomial of degree 9 is evaluated by separate multiplies and adds, and
the result is squared twice. Relative error under 1e-11 from -1 to 1; larger arguments are halved first.
"""

from __future__ import annotations

from math import factorial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from perfgate.npu.columns import Floats

_DEGREE = 9
_COEFFICIENTS = tuple(1.0 / factorial(power) for power in range(_DEGREE, -1, -1))


def exponential(values: Floats, out: Floats | None = None, spare: Floats | None = None) -> Floats:
    """The exponential of every value, into `out` and with `spare` to work in where these are given."""
    quarter = np.multiply(values, 0.25, out=spare)
    result = np.multiply(quarter, _COEFFICIENTS[0], out=out)
    result += _COEFFICIENTS[1]
    for coefficient in _COEFFICIENTS[2:]:
        result *= quarter
        result += coefficient
    result *= result
    result *= result
    if values.size and (values.max() > 1.0 or values.min() < -1.0):
        is_large = np.abs(values) > 1.0
        half = exponential(values[is_large] * 0.5)
        result[is_large] = half * half
    return result
