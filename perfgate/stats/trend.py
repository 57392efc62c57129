"""Does a series grow, and when does it reach a limit (leaks against caches that fill)?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import normal_quantile, t_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_POINTS = 6  # two per third
LEVEL = 0.975


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """Change per unit of time with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Two slopes of a series, and whether it grows: both exclude 0 and the last third alone still grows."""

    robust: Slope
    least_squares: Slope
    last_third: Slope
    is_growing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeToLimit:
    """When a growing series reaches a limit; `latest` is infinite when the slope may be 0."""

    expected: float
    earliest: float
    latest: float


def find_trend(values: npt.ArrayLike, times: npt.ArrayLike | None = None) -> Trend:
    """Trend of a series in order of time; times default to 0, 1, 2 ...

    A cache that fills and levels off is no finding, a ramp is: the last third decides between them.

    Raises:
        ValueError: fewer than six points, or times that do not increase.
    """
    y = np.asarray(values, float)
    x = np.arange(y.size, dtype=float) if times is None else np.asarray(times, float)
    if y.size < MIN_POINTS or x.size != y.size or bool((np.diff(x) <= 0).any()):
        raise ValueError("a trend needs six points at increasing times")
    robust, squares = theil_sen(x, y), least_squares(x, y)
    third = slice(y.size - max(y.size // 3, 2), None)
    last = theil_sen(x[third], y[third])
    return Trend(
        robust=robust,
        least_squares=squares,
        last_third=last,
        is_growing=robust.low > 0 and squares.low > 0 and _still_grows(x[third], y[third], last),
    )


def theil_sen(times: npt.ArrayLike, values: npt.ArrayLike) -> Slope:
    """Median of all pairwise slopes with Sen's rank interval (1968); outliers do not move it.

    With too few points to exclude anything the interval is the range of the slopes.
    """
    x, y = np.asarray(times, float), np.asarray(values, float)
    first, second = np.triu_indices(x.size, k=1)
    slopes = np.sort((y[second] - y[first]) / (x[second] - x[first]))
    n = x.size
    reach = normal_quantile(LEVEL) * math.sqrt(_kendall_variance(y, n))
    low = math.floor((slopes.size - reach) / 2) - 1
    high = math.ceil((slopes.size + reach) / 2)
    return Slope(
        value=float(np.median(slopes)),
        low=float(slopes[max(low, 0)]),
        high=float(slopes[min(high, slopes.size - 1)]),
    )


def least_squares(times: npt.ArrayLike, values: npt.ArrayLike) -> Slope:
    """Least-squares slope with an interval that allows for autocorrelation (Newey and West 1987).

    Bartlett weights up to lag 4 (n / 100)^(2/9), the errors scaled by n / (n - 2), Student's law with n - 2
    df. Under strong autocorrelation it is still too narrow: never use it alone.
    """
    x, y = np.asarray(times, float), np.asarray(values, float)
    n = x.size
    centred = x - x.mean()
    square = float((centred**2).sum())
    slope = float((centred * y).sum()) / square
    scores = centred * (y - y.mean() - slope * centred)
    lags = max(1, int(4 * (n / 100) ** (2 / 9)))
    total = float((scores**2).sum())
    for lag in range(1, min(lags, n - 1) + 1):
        total += 2 * (1 - lag / (lags + 1)) * float((scores[lag:] * scores[:-lag]).sum())
    error = math.sqrt(max(total, 0.0) * n / (n - 2)) / square
    width = float(t_quantile(LEVEL, n - 2)) * error
    return Slope(value=slope, low=slope - width, high=slope + width)


def time_to_limit(now: float, limit: float, slope: Slope) -> TimeToLimit:
    """(limit - now) / slope with the interval of the slope: 4.2 GB at .5 GB/h reach 8 GB in 7.6 h.

    Raises:
        ValueError: the slope does not lead towards the limit.
    """
    distance = limit - now
    if slope.value <= 0 or distance < 0:
        raise ValueError("the series does not grow towards the limit")
    return TimeToLimit(
        expected=distance / slope.value,
        earliest=distance / slope.high,
        latest=distance / slope.low if slope.low > 0 else math.inf,
    )


def _still_grows(x: Floats, y: Floats, last: Slope) -> bool:
    """The last third alone: its rank interval excludes 0; with too few points for one, every step is up."""
    if x.size < MIN_POINTS:
        return last.value > 0 and bool((np.diff(y) > 0).all())
    return last.low > 0


def _kendall_variance(y: Floats, n: int) -> float:
    """Variance of Kendall's S with groups of equal values."""
    _, counts = np.unique(y, return_counts=True)
    ties = float((counts * (counts - 1) * (2 * counts + 5)).sum())
    return (n * (n - 1) * (2 * n + 5) - ties) / 18
