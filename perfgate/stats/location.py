"""Where a run lies: the 25th percentile, the median, or a percentile of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

ROUNDING = 1e-9  # (1 - .99) * 2000 is 20.000000000000018 in binary: counts are rounded up only beyond this


def linear_quantile(ordered: npt.ArrayLike, probability: float) -> Floats:
    """Quantile of each row of ordered values by linear interpolation, as numpy's default.

    The p25 of 1 2 3 4 is 1.75.
    """
    rows = np.atleast_2d(np.asarray(ordered, float))
    place = probability * (rows.shape[1] - 1)
    low = math.floor(place)
    high = min(low + 1, rows.shape[1] - 1)
    share = place - low
    values: Floats = rows[:, low] * (1 - share) + rows[:, high] * share
    return values


def own_percentile(ordered: npt.ArrayLike, probability: float) -> Floats:
    """Percentile of each row of ordered values as the inverse of the empirical law.

    Always one of the values.
    """
    rows = np.atleast_2d(np.asarray(ordered, float))
    rank = min(max(count_up(probability * rows.shape[1]), 1), rows.shape[1])
    values: Floats = rows[:, rank - 1]
    return values


def count_up(value: float) -> int:
    """The least whole number not below a value, forgiving the last digits of binary arithmetic."""
    return math.ceil(value - ROUNDING * max(1.0, abs(value)))
