"""Test B: one-sided Mann-Whitney, many comparisons at once, each by the law that its own ties allow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import log_choose, normal_tail
from perfgate.stats.rank_laws import TABLE_LIMIT, tied_tail, untied_tail

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

TIED_LIMIT = 40  # STATISTICS section 4: up to n + m = 40 tied values the conditional law is computed exactly


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTest:
    """`u` = #(y > x) + #(y == x) / 2 and p = P(U' >= u), one entry per comparison."""

    u: Floats
    p: Floats


def mann_whitney(x: npt.ArrayLike, y: npt.ArrayLike) -> RankTest:
    """Is y larger than x? Rows are comparisons: x is (k, n), y is (k, m).

    A single pair may be one-dimensional.

    Per row: no tie in the pooled values: exact table; ties and n + m <= 40: exact conditional law; ties and
    more: normal law with tie and continuity correction; all equal: p = 1. Untied rows beyond n * m = 250,000
    use the normal law with continuity correction too. Not a test of runs: it sees only the noise inside runs.

    Raises:
        ValueError: a value is NaN, a side is empty, or the rows do not match.
    """
    rows_x = np.atleast_2d(np.asarray(x, float))
    rows_y = np.atleast_2d(np.asarray(y, float))
    n, m = rows_x.shape[1], rows_y.shape[1]
    if rows_x.shape[0] != rows_y.shape[0] or not n or not m:
        raise ValueError("both sides need values and the same number of rows")
    pooled = np.concatenate((rows_x, rows_y), axis=1)
    if np.isnan(pooled).any():
        raise ValueError("a sample is NaN")
    order = np.argsort(pooled, axis=1, kind="stable")
    ordered = np.take_along_axis(pooled, order, axis=1)
    # Rank sums of untied rows; tied rows are replaced below.
    positions = np.arange(1, n + m + 1, dtype=float)
    rank_sums = np.where(order >= n, positions, 0.0).sum(axis=1)
    u = rank_sums - m * (m + 1) / 2
    is_tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    p = np.ones(u.size)
    untied = np.flatnonzero(~is_tied)
    if untied.size and n * m <= TABLE_LIMIT:
        p[untied] = untied_tail(n, m)[u[untied].astype(np.int64)]
    elif untied.size:
        p[untied] = _normal_tails(u[untied], n, m, 0.0)
    for row in np.flatnonzero(is_tied):
        u[row], p[row] = _tied_row(ordered[row], order[row] >= n)
    return RankTest(u=u, p=p)


def smallest_p(n: int, m: int) -> float:
    """The least p-value that n and m untied values can reach: 1 / comb(n + m, n)."""
    return math.exp(-float(log_choose(n + m, n)))


def _tied_row(ordered: Floats, is_y: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """`u` and p of one row with ties; `ordered` are the pooled values in order."""
    starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    group = np.cumsum(starts) - 1
    sizes = np.bincount(group)
    firsts = np.cumsum(sizes) - sizes
    doubled = (2 * firsts + sizes + 1)[group]  # twice the mid-rank
    m = int(is_y.sum())
    n = is_y.size - m
    doubled_sum = int(doubled[is_y].sum())
    u = doubled_sum / 2 - m * (m + 1) / 2
    if sizes.size == 1:
        return u, 1.0
    if n + m <= TIED_LIMIT:
        least, tail = tied_tail(tuple(int(rank) for rank in doubled), m)
        return u, float(tail[doubled_sum - least])
    ties = float((sizes.astype(float) ** 3 - sizes).sum())
    return u, float(_normal_tails(np.array([u]), n, m, ties)[0])


def _normal_tails(u: Floats, n: int, m: int, ties: float) -> Floats:
    """Normal law with tie and continuity correction.

    `ties` is the sum of t^3 - t over groups of equal values.
    """
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    tails: Floats = np.minimum(normal_tail((u - n * m / 2 - 0.5) / math.sqrt(variance)), 1.0)
    return tails
