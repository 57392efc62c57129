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


def exponential(values: Floats) -> Floats:
    """The exponential of every value."""
    quarter = values * 0.25
    result = np.full_like(quarter, _COEFFICIENTS[0])
    for coefficient in _COEFFICIENTS[1:]:
        result *= quarter
        result += coefficient
    result *= result
    result *= result
    is_large = np.abs(values) > 1.0
    if is_large.any():
        half = exponential(values[is_large] * 0.5)
        result[is_large] = half * half
    return result
