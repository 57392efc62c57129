"""Baselines whose runs drift.

Drift is found by von Neumann's ratio, paid for by a wider standard error (section 6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import t_quantile, t_tail
from perfgate.stats.run_samples import by_count

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_RUNS = 4
DRIFT_Z = -2.33  # one-sided 1 %
PURE_WALK = 100.0  # walk-to-white ratio where the runs leave no room for white noise
SMALLEST_DENOMINATOR = 0.01
TREND_LEVEL, TREND_BOUND = 0.01, 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Whether a suite's baseline drifts.

    `ratio` is V (2 for exchangeable runs), `z` its normal score, `walk` the walk-to-white ratio k, 0 without
    drift.
    """

    ratio: float = 2.0
    z: float = 0.0
    walk: float = 0.0

    @property
    def is_drifting(self) -> bool:
        """Neighbouring runs are too alike for runs in random order."""
        return self.walk > 0


def find_drift(locations: npt.ArrayLike) -> Drift:
    """Does a suite's baseline drift? Common-mode-free log locations (benchmarks, runs) in recording order.

    Rows may be padded with NaN at the end. Rows with under four runs or without any spread say nothing. V is
    the mean of sum of squared steps over sum of squares; its law holds for exchangeable runs of any
    distribution.
    """
    total, variance, used, runs = 0.0, 0.0, 0, 0
    for _, rows in by_count(np.atleast_2d(np.asarray(locations, float))):
        count = rows.shape[1]
        if count < MIN_RUNS:
            continue
        squares = ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        steps = (np.diff(rows, axis=1) ** 2).sum(axis=1)
        moving = squares > 0
        total += math.fsum(steps[moving] / squares[moving])
        size = int(moving.sum())
        variance += size * 4 * (count - 2) / ((count - 1) * (count + 1))
        used += size
        runs += size * count
    if not used:
        return Drift()
    ratio = total / used
    z = (ratio - 2) / math.sqrt(variance) * used
    walk = walk_ratio(ratio, runs / used) if z < DRIFT_Z else 0.0
    return Drift(ratio=ratio, z=z, walk=walk)


def walk_ratio(ratio: float, runs: float) -> float:
    """Step variance of the walk over the variance of the white part; R = 5: V = 1.36 gives 1.7778."""
    denominator = ratio * (runs + 1) / 6 - 1
    return PURE_WALK if denominator <= SMALLEST_DENOMINATOR else min((2 - ratio) / denominator, PURE_WALK)


def drift_factor(walk: float, runs: npt.ArrayLike, new_runs: npt.ArrayLike) -> Floats:
    """The factor lambda on the squared standard error when the candidate follows a drifting baseline.

    k = 1.78, R = 5: 3.9488 for C = 3 and 1.5336 for C = 1.
    """
    r, c = np.broadcast_arrays(np.asarray(runs, float), np.asarray(new_runs, float))
    if walk <= 0:
        return np.ones(r.shape)
    v = walk_variance(r, c)
    w = 1 / r + 1 / c
    inside = (r - 1) * (1 + walk * (r + 1) / 6) + (c - 1) * (1 + walk * (c + 1) / 6)
    # One run on each side leaves no variance to widen; test A is impossible there anyhow.
    factor = (w + walk * v) * (r + c - 2) / (w * np.maximum(inside, np.finfo(float).tiny))
    return np.asarray(np.maximum(1.0, factor), float)


def walk_variance(runs: npt.ArrayLike, new_runs: npt.ArrayLike) -> Floats:
    """Variance of the difference of means of following runs, in step variances of a pure walk."""
    r, c = np.asarray(runs, float), np.asarray(new_runs, float)
    return np.asarray(1 + (r - 1) * (2 * r - 1) / (6 * r) + (c - 1) * (2 * c - 1) / (6 * c), float)


def clear_trends(locations: npt.ArrayLike, floors: npt.ArrayLike) -> Floats:
    """Steepest believable slope per run of benchmarks whose own baseline runs clearly trend, else 0.

    Least squares over the runs in order, one-sided 1 % by Student with R - 2 df, at least four runs; the
    slope is the far end of its 90 % interval. `floors` are the least believable variances. A line through a
    few runs: it tells a warming or leaking benchmark from a steady one, it is no forecast.
    """
    table = np.atleast_2d(np.asarray(locations, float))
    least = np.broadcast_to(np.asarray(floors, float), len(table))
    slopes = np.zeros(len(table))
    for places, rows in by_count(table):
        count = rows.shape[1]
        if count < MIN_RUNS:
            continue
        place = np.arange(count) - (count - 1) / 2
        square = float((place**2).sum())
        centred = rows - rows.mean(axis=1, keepdims=True)
        slope = centred @ place / square
        rest = ((centred - slope[:, None] * place) ** 2).sum(axis=1) / (count - 2)
        error = np.sqrt(np.maximum(rest, least[places]) / square)
        is_clear = t_tail(np.abs(slope) / error, count - 2) <= TREND_LEVEL
        steepest = slope + np.sign(slope) * error * float(t_quantile(TREND_BOUND, count - 2))
        slopes[places] = np.where(is_clear, steepest, 0.0)
    return slopes
