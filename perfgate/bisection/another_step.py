"""How likely it is that a side of a culprit holds another step.

Two explanations are weighed: the side has one level, or two with the cut anywhere. Builds of equal code may
differ, and that is summed over as in `posterior`, judged by the commits of all sides. docs/MATH.md 10.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.endpoints import launch_variance
from perfgate.bisection.posterior import NODES, Grid, effects_grid, log_likelihood
from perfgate.bisection.readings import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.readings import Readings
    from perfgate.bisection.trail import Trail

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

PRIOR = 0.2  # that a side of a culprit holds another change


def chance_of_step(trail: Trail, top: int, *, is_even: bool = False) -> float:
    """P(the side that ends at `top` has two levels), all sides of all changes known so far taken together.

    `is_even`: builds of equal code are taken not to differ.
    """
    readings = read(trail.values)
    launch, build, log_prior = effects_grid(max(abs(found.step) for found in trail.found))
    shown = slice(0, 1 if is_even else None)
    effects = (launch, build[shown], log_prior[:, shown])
    weights = np.cumsum([item.weight for item in trail.problem.candidates])[readings.positions]
    parts = split(trail, readings.positions)
    sides = [side_of(readings, part, effects) for part in parts]
    one = np.array([one_level(side) for side in sides]) + np.log(1 - PRIOR)  # (sides, T, F)
    two = np.array([two_levels(side, weights[part]) for side, part in zip(sides, parts, strict=True)])
    two += np.log(PRIOR)
    either = np.logaddexp(one, two)
    chosen = next(place for place, part in enumerate(parts) if readings.positions[part.stop - 1] >= top)
    rest = either.sum(axis=0) - either[chosen] + log_prior[:, shown]
    with_step = np.logaddexp.reduce(rest + two[chosen], axis=None)
    without = np.logaddexp.reduce(rest + one[chosen], axis=None)
    return float(1.0 / (1.0 + np.exp(np.clip(without - with_step, -700.0, 700.0))))


def split(trail: Trail, positions: Ints) -> list[slice]:
    """The measured commits between changes; one between two steps belongs to both sides."""
    between = [(place, place) for place in trail.splits]
    edges = sorted([*((found.good, found.bad) for found in trail.found), *between])
    firsts = np.searchsorted(positions, [0, *(after for _, after in edges)])
    ends = np.searchsorted(positions, [*(before for before, _ in edges), positions[-1]], side="right")
    return [slice(first, end) for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Log density of K commits at M levels, (K, M, T, F), and the log prior weights of the levels, (M,)."""

    density: Floats
    log_weights: Floats


def side_of(readings: Readings, part: slice, effects: tuple[Floats, Floats, Floats]) -> Side:
    """The commits of a side at levels round the means of each: as fine as they are known, whatever the step.

    A level is as likely anywhere between the lowest and the highest launch.
    """
    own = readings.part(part)
    means, precision = own.commits(launch_variance(readings))
    levels = np.unique(means[:, None] + NODES * precision[:, None] ** -0.5)
    launch, build, log_prior = effects
    grid = Grid(good=levels, bad=levels, launch=launch, build=build, log_prior=log_prior)
    width = max(float(np.ptp(readings.means)), float(np.ptp(levels)))
    return Side(density=log_likelihood(own, levels, grid), log_weights=np.log(np.gradient(levels) / width))


def one_level(side: Side) -> Floats:
    """Log density (T, F) of the commits of a side if all have one level."""
    return _over_levels(side.density.sum(axis=0), side)


def two_levels(side: Side, weights: Floats) -> Floats:
    """The same with one level up to a cut and another one behind, summed over cuts by their prior weight.

    `weights` are those of all candidates up to each commit, (K,).
    """
    if len(weights) == 1:
        return np.full(side.density.shape[2:], -np.inf)
    before = _over_levels(side.density.cumsum(axis=0)[:-1], side)
    after = _over_levels(side.density[::-1].cumsum(axis=0)[::-1][1:], side)
    log_weights = np.log(np.diff(weights) / (weights[-1] - weights[0]))
    total: Floats = np.logaddexp.reduce(log_weights[:, None, None] + before + after, axis=0)
    return total


def _over_levels(density: Floats, side: Side) -> Floats:
    """Sum over the levels, the third axis from behind."""
    total: Floats = np.logaddexp.reduce(density + side.log_weights[:, None, None], axis=-3)
    return total
