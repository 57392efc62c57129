"""After a culprit: does one side of it still hold a change? Free when the launches so far show no hint."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.endpoints import CLEAR, Contrast, contrast, launch_both, launch_size, launch_variance
from perfgate.bisection.probe import Purpose
from perfgate.bisection.readings import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.trail import Asking, Trail

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

HINT = 1.0  # standard errors between the two parts of a side, at the best cut
DOUBTFUL = 1.28  # SD over the mean of chi-square, from which scatter is taken for a build effect: 10 %
MOST_SAMPLES = 80  # fresh ones at each end of a side, to prove a hint


def rest_differs(trail: Trail, low: int, high: int) -> Asking[bool]:
    """The ends of a side are clearly different, in either direction.

    Where builds of equal code differ, so do the ends of a side with nothing left to find: what commits
    between two changes scatter beyond their errors is added to the errors.
    """
    if low == high:
        return False
    cut, _ = best_cut(trail, (low, high), 0.0)
    build = build_variance(trail, cut)
    if best_cut(trail, (low, high), build)[1] < HINT:
        return False
    left = MOST_SAMPLES
    while left > 0:
        seen = contrast(trail, low, high, build)
        if abs(seen.z) >= CLEAR or not can_become_clear(trail, (low, high), seen, (left, build)):
            break
        size = launch_size(trail)
        yield from launch_both(trail, low, high, size, Purpose.RESIDUAL)
        left -= size
    return abs(contrast(trail, low, high, build).z) >= CLEAR


def stands_out(trail: Trail, side: tuple[int, int], cut: int) -> bool:
    """Where builds of equal code differ, the parts of a searched side must differ clearly all the same."""
    build = build_variance(trail, cut)
    return build == 0.0 or best_cut(trail, side, build)[1] >= CLEAR


def can_become_clear(trail: Trail, side: tuple[int, int], seen: Contrast, left: tuple[int, float]) -> bool:
    """With all samples that are left the ends could differ clearly: difference + error >= 4 final errors.

    `left` are those samples and phi^2, which they do not make smaller.
    """
    samples, build = left
    taken = min(sum(map(len, trail.values[place])) for place in side)
    final = (seen.error**2 - 2 * build) * taken / (taken + samples) + 2 * build
    return abs(seen.step) + seen.error >= CLEAR * math.sqrt(final)


def best_cut(trail: Trail, side: tuple[int, int], build: float) -> tuple[int, float]:
    """The last position before the best cut of a side, and the standard errors between its two parts."""
    places, weights, means = commit_means(trail)
    chosen = (places >= side[0]) & (places <= side[1])
    weights = 1.0 / (1.0 / weights[chosen] + build)
    totals = weights * means[chosen]
    before, after = np.cumsum(weights)[:-1], np.cumsum(weights[::-1])[::-1][1:]
    apart = np.cumsum(totals[::-1])[::-1][1:] / after - np.cumsum(totals)[:-1] / before
    apart = np.abs(apart) / np.sqrt(1.0 / before + 1.0 / after)
    best = int(np.argmax(apart))
    return int(places[chosen][best]), float(apart[best])


def build_variance(trail: Trail, cut: int) -> float:
    """phi^2 from the scatter of commits between changes, the cut taken as one (DerSimonian and Laird)."""
    places, weights, means = commit_means(trail)
    edges = np.sort([*(found.good for found in trail.found), cut])
    part = np.searchsorted(edges, places, side="left")
    sums = np.bincount(part, weights)
    known = np.where(sums > 0, sums, 1.0)
    level = np.bincount(part, weights * means) / known
    scatter = float((weights * (means - level[part]) ** 2).sum())
    freedom = len(places) - int(np.count_nonzero(sums))
    scale = float((sums - np.bincount(part, weights**2) / known).sum())
    if scale <= 0 or scatter < freedom + DOUBTFUL * math.sqrt(2 * freedom):
        return 0.0
    return (scatter - freedom) / scale


def commit_means(trail: Trail) -> tuple[Ints, Floats, Floats]:
    """Positions, weights (1 / variance) and means of all measured commits."""
    readings = read(trail.values)
    precision = 1.0 / (readings.noise() + launch_variance(readings))
    weights = readings.sums(precision)
    return readings.positions, weights, readings.sums(precision * readings.means) / weights
