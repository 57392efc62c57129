"""Which segment between probed commits holds the culprit, given all launches and nothing else known for sure.

Log value of a sample of launch u of commit c: mu_good or mu_bad, plus an effect of the commit's build
N(0, phi^2), plus one of the launch N(0, tau^2), plus noise. The two levels and the two effects are not
plugged in but summed over grids, weighed by how well they explain all launches: docs/MATH.md 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.readings import LEAST_SPREAD, WIDE, WIDE_FLOOR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.readings import Readings

    Floats: TypeAlias = NDArray[np.float64]

LAUNCH_OUTLIERS = 0.02  # share of launches that a neighbour on the machine has spoilt
# With a build effect a commit's launches are judged together, and a larger share would cap what a commit can
# say near 7 nats: a posterior of .999 would stay out of reach.
COMMIT_OUTLIERS = 1e-5
LEAST_LAUNCH_EFFECT = 0.003
NODES = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])  # of a level, in standard errors round its estimate
# Effects as shares of the step: smaller ones do no harm, larger ones leave nothing to find.
LAUNCH_SHARES = np.array([0.0, 0.1, 0.2, 0.4, 0.8])
LAUNCH_PRIOR = np.array([0.7, 0.15, 0.08, 0.05, 0.02])
BUILD_SHARES = np.array([0.0, 0.1, 0.2, 0.4])
BUILD_PRIOR = np.array([0.93, 0.03, 0.03, 0.01])


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What is summed over: levels of good and bad (log units), SD of launch effect and build effect."""

    good: Floats  # (M,)
    bad: Floats  # (M,)
    launch: Floats  # (T,)
    build: Floats  # (F,)
    log_prior: Floats  # (T, F), of the effects; levels have a flat prior


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Chance of each of the K-1 segments, and what the data say about the effects (T, F)."""

    segments: Floats
    effects: Floats

    def bad(self) -> Floats:
        """P(bad) of the K probed commits: the chance that the culprit is at or before them."""
        chances: Floats = np.minimum(np.concatenate(([0.0], np.cumsum(self.segments))), 1.0)
        return chances


def effects_grid(step: float) -> tuple[Floats, Floats, Floats]:
    """Launch effects (T,), build effects (F,) and their log prior (T, F) for a step of this size."""
    step = max(step, LEAST_SPREAD)  # a step of rounding errors must not decide which effects are looked at
    launch = np.hypot(LEAST_LAUNCH_EFFECT, LAUNCH_SHARES * step)
    return launch, BUILD_SHARES * step, np.log(LAUNCH_PRIOR[:, None] * BUILD_PRIOR[None, :])


def posterior(readings: Readings, log_weights: Floats, grid: Grid) -> Posterior:
    """Chances by Bayes' rule; `log_weights` (K-1,) are the segments' log prior weights."""
    good = np.cumsum(log_likelihood(readings, grid.good, grid), axis=0)[:-1]
    bad = log_likelihood(readings, grid.bad, grid)
    bad = np.cumsum(bad[::-1], axis=0)[::-1][1:]
    # given the effects the two levels are independent, so their sums separate
    joint = np.logaddexp.reduce(good, axis=1) + np.logaddexp.reduce(bad, axis=1) + grid.log_prior
    joint += log_weights[:, None, None]
    joint = np.exp(joint - joint.max())
    joint /= joint.sum()
    return Posterior(segments=joint.sum(axis=(1, 2)), effects=joint.sum(axis=0))


def log_likelihood(readings: Readings, levels: Floats, grid: Grid) -> Floats:
    """Log density of each commit's launches, (K, M, T, F), if its level is one of `levels`."""
    variance = readings.noise()[:, None] + grid.launch**2  # (U, T)
    shape = (len(readings.positions), len(levels), len(grid.launch), len(grid.build))
    result = np.empty(shape)
    apart = readings.means[:, None, None] - levels[:, None]  # (U, M, 1)
    per_launch = _mixture(apart, variance[:, None, :], LAUNCH_OUTLIERS)
    has_effect = grid.build > 0
    result[:, :, :, ~has_effect] = readings.sums(per_launch)[..., None]
    if has_effect.any():
        result[:, :, :, has_effect] = _with_build_effect(readings, levels, variance, grid.build[has_effect])
    return result


def _with_build_effect(readings: Readings, levels: Floats, variance: Floats, build: Floats) -> Floats:
    """The same for phi > 0: the launches round their weighted mean X_c, and X_c round the level.

    Summed over which launch of the commit is spoilt: none, or one of them. Two at once are left out.
    """
    spoilt = (WIDE * np.sqrt(variance) + WIDE_FLOOR) ** 2
    usual = _moments(readings.means, variance, 1 - LAUNCH_OUTLIERS)  # (4, U, T)
    rare = _moments(readings.means, spoilt, LAUNCH_OUTLIERS)
    none = np.add.reduceat(usual, readings.starts, axis=1)
    which = none[:, readings.owner] - usual + rare
    order = np.argsort(np.concatenate((np.arange(len(readings.positions)), readings.owner)), kind="stable")
    precision, linear, square, log_density = np.concatenate((none, which), axis=1)[:, order]
    mean = linear / precision
    inside = log_density - 0.5 * (square - linear * mean) + 0.5 * np.log(2 * np.pi / precision)
    apart = mean[:, None, :, None] - levels[:, None, None]
    total = 1.0 / precision[:, None, :, None] + build**2
    each = inside[:, None, :, None] + _mixture(apart, total, COMMIT_OUTLIERS)
    result: Floats = np.logaddexp.reduceat(each, readings.starts + np.arange(len(readings.starts)), axis=0)
    return result


def _moments(means: Floats, variance: Floats, share: float) -> Floats:
    """Of share N(x; ., v), for each launch: 1 / v, x / v, x^2 / v and the log of its factor, (4, U, T)."""
    values = means[:, None]
    factor = np.log(share) - 0.5 * np.log(2 * np.pi * variance)
    return np.stack([1.0 / variance, values / variance, values**2 / variance, factor])


def _mixture(apart: Floats, variance: Floats, outliers: float) -> Floats:
    """log[(1-eps) N(apart; 0, v) + eps N(apart; 0, (3 sqrt v + .05)^2)]."""
    deviation = np.sqrt(variance)
    wide = WIDE * deviation + WIDE_FLOOR
    usual = np.log1p(-outliers) - np.log(deviation) - 0.5 * (apart / deviation) ** 2
    rare = np.log(outliers) - np.log(wide) - 0.5 * (apart / wide) ** 2
    density: Floats = np.logaddexp(usual, rare) - 0.5 * np.log(2 * np.pi)
    return density
