"""Percentiles: the upper-tail count test and intervals from order statistics (STATISTICS section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import binomial_cdf, log_choose
from perfgate.stats.location import count_up

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_TAIL = 11  # pooled values beyond the percentile that the test needs


@dataclass(frozen=True, slots=True, kw_only=True)
class TailTest:
    """How many of the largest pooled values are the candidate's, one entry per comparison.

    `k` of the `size` largest, and p = P(K >= k).
    """

    k: npt.NDArray[np.int64]
    size: int
    p: Floats


def tail_size(count: int, quantile: float) -> int:
    """How many of the pooled values lie beyond the percentile: ceil((1 - q) count)."""
    return count_up((1 - quantile) * count)


def samples_needed(quantile: float) -> int:
    """Samples per side that put eleven pooled values beyond the percentile: P99 needs 550."""
    return count_up(MIN_TAIL / (2 * (1 - quantile)))


def tail_test(x: npt.ArrayLike, y: npt.ArrayLike, quantile: float) -> TailTest:
    """Are the largest pooled values mostly y's? Rows are comparisons: x is (k, n), y is (k, m).

    Exact: under equal laws the number of y's values among the r largest is hypergeometric. Ties at the edge
    are counted for x, which makes p larger. Sees samples, not runs.
    """
    rows_x = np.atleast_2d(np.asarray(x, float))
    rows_y = np.atleast_2d(np.asarray(y, float))
    n, m = rows_x.shape[1], rows_y.shape[1]
    size = tail_size(n + m, quantile)
    pooled = np.concatenate((rows_x, rows_y), axis=1)
    edge = np.partition(pooled, n + m - size, axis=1)[:, n + m - size, None]
    above_x = (rows_x > edge).sum(axis=1)
    above_y = (rows_y > edge).sum(axis=1)
    at_edge_x = (rows_x == edge).sum(axis=1)
    k = above_y + np.maximum(size - above_x - above_y - at_edge_x, 0)
    return TailTest(k=k, size=size, p=hypergeometric_tail(n, m, size)[k])


@lru_cache(maxsize=64)
def hypergeometric_tail(n: int, m: int, size: int) -> Floats:
    """P(K >= k) for k = 0 .. size, K the number of m marked values among `size` of n + m."""
    k = np.arange(size + 1)
    logs = log_choose(m, k) + log_choose(n, size - k) - log_choose(n + m, size)
    tail: Floats = np.minimum(np.cumsum(np.exp(logs)[::-1])[::-1], 1.0)
    tail[0] = 1.0
    tail.setflags(write=False)
    return tail


def smallest_tail_p(n: int, m: int, quantile: float) -> float:
    """The least p-value that the tail test can reach with these counts."""
    size = tail_size(n + m, quantile)
    return float(hypergeometric_tail(n, m, size)[min(size, m)])


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderInterval:
    """A 95 % interval of a percentile from pooled samples.

    A bound is None where the samples cannot bound it on that side.
    """

    low: float | None
    high: float | None


def order_ranks(count: int, quantile: float, level: float = 0.95) -> tuple[int | None, int | None]:
    """Ranks (from 1) of the order statistics that bound a percentile: n = 100, P50: 40 and 61.

    There is no upper rank for P99 below n = 368.
    """
    beyond = (1 - level) / 2
    below = binomial_cdf(np.arange(count + 1), count, quantile)  # P(B <= i)
    lower = int(np.searchsorted(below, beyond, side="right"))  # the largest l with P(B <= l - 1) <= beyond
    upper = (
        int(np.searchsorted(below, 1 - beyond, side="left")) + 1
    )  # the smallest u with P(B >= u) <= beyond
    return (lower if lower > 0 else None), (upper if upper <= count else None)


def order_interval(ordered: npt.ArrayLike, quantile: float) -> OrderInterval:
    """Interval of a percentile from ordered pooled samples; within-run noise only."""
    values = np.asarray(ordered, float)
    low, high = order_ranks(values.size, quantile)
    return OrderInterval(
        low=None if low is None else float(values[low - 1]),
        high=None if high is None else float(values[high - 1]),
    )
