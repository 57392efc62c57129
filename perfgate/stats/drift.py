"""Baselines whose runs drift: found by von Neumann's ratio, paid for by a wider standard error (section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_RUNS = 4
DRIFT_Z = -2.33  # one-sided 1 %
PURE_WALK = 100.0  # walk-to-white ratio where the runs leave no room for white noise
SMALLEST_DENOMINATOR = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """`ratio` is V (2 for exchangeable runs), `z` its normal score, `walk` the walk-to-white ratio k (0: no drift)."""

    ratio: float = 2.0
    z: float = 0.0
    walk: float = 0.0

    @property
    def is_drifting(self) -> bool:
        """Neighbouring runs are too alike for runs in random order."""
        return self.walk > 0


def find_drift(series: Sequence[npt.ArrayLike]) -> Drift:
    """Does a suite's baseline drift? One series of common-mode-free log locations per benchmark, in recording order.

    Series with under four runs or without any spread say nothing. V is the mean of sum of squared steps over sum of
    squares; its law holds for exchangeable runs of any distribution.
    """
    ratios, variances, runs = [], [], []
    for values in series:
        item = np.asarray(values, float)
        count = item.size
        if count < MIN_RUNS:
            continue
        square = float(((item - item.mean()) ** 2).sum())
        if square <= 0:
            continue
        ratios.append(float((np.diff(item) ** 2).sum()) / square)
        variances.append(4 * (count - 2) / ((count - 1) * (count + 1)))
        runs.append(count)
    if not ratios:
        return Drift()
    ratio = math.fsum(ratios) / len(ratios)
    z = (ratio - 2) / math.sqrt(math.fsum(variances)) * len(ratios)
    walk = walk_ratio(ratio, math.fsum(runs) / len(runs)) if z < DRIFT_Z else 0.0
    return Drift(ratio=ratio, z=z, walk=walk)


def walk_ratio(ratio: float, runs: float) -> float:
    """Variance of a step of the walk over the variance of the white part; R = 5: V = 1.36 gives 1.7778."""
    denominator = ratio * (runs + 1) / 6 - 1
    return PURE_WALK if denominator <= SMALLEST_DENOMINATOR else min((2 - ratio) / denominator, PURE_WALK)


def drift_factor(walk: float, runs: npt.ArrayLike, new_runs: npt.ArrayLike) -> Floats:
    """The factor lambda on the squared standard error of test A when the candidate follows a drifting baseline.

    k = 1.78, R = 5: 3.9488 for C = 3 and 1.5336 for C = 1.
    """
    r, c = np.broadcast_arrays(np.asarray(runs, float), np.asarray(new_runs, float))
    if walk <= 0:
        return np.ones(r.shape)
    v = 1 + (r - 1) * (2 * r - 1) / (6 * r) + (c - 1) * (2 * c - 1) / (6 * c)
    w = 1 / r + 1 / c
    inside = (r - 1) * (1 + walk * (r + 1) / 6) + (c - 1) * (1 + walk * (c + 1) / 6)
    # One run on each side leaves no variance to widen; test A is impossible there anyhow.
    factor = (w + walk * v) * (r + c - 2) / (w * np.maximum(inside, np.finfo(float).tiny))
    return np.maximum(1.0, factor)
