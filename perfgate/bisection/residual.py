"""After a culprit: does one side of it still hold a change? Free when the launches so far show no hint.

Two explanations are weighed: a side has one level, or two with the cut anywhere. Builds of equal code may
differ, and that is summed over as in `posterior`, judged by the commits of all sides. docs/MATH.md 10.8.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.endpoints import CLEAR, contrast, launch_size, launch_variance
from perfgate.bisection.posterior import Grid, effects_grid, log_likelihood
from perfgate.bisection.probe import Purpose
from perfgate.bisection.readings import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.trail import Asking, Trail

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

PRIOR = 0.2  # that a side of a culprit holds another change
HINT = 1.0  # standard errors between the two parts of a side, at the best cut
HOPE = 1.0  # standard errors by which the ends may differ more than seen
WORTH = 0.99  # chance of another change from which to search for it: new commits tell it from a build effect
LOST = 0.1  # under which a search is given up
SURE = 0.98  # from which what the search found is named
NEIGHBOURS = 4  # new commits on each side of a doubtful pair
LEVELS = 60  # evenly between the lowest and the highest launch
MOST_SAMPLES = 160  # fresh ones at the ends of a side, to prove a hint


def rest_differs(trail: Trail, low: int, high: int) -> Asking[bool]:
    """A side probably holds another change, in either direction; a hint is followed up at its ends."""
    if low == high:
        return False
    left = MOST_SAMPLES
    while not (differs := chance_of_step(trail, high, is_even=True) >= WORTH):
        if left <= 0 or not is_hopeful(trail, (low, high), left):
            break
        size = launch_size(trail)
        yield from trail.ask(weaker(trail, low, high), size, Purpose.RESIDUAL)
        left -= size
    return differs


def settle(trail: Trail, side: tuple[int, int], pair: tuple[int, int]) -> Asking[bool]:
    """The pair that was found in a side is a change: new commits next to it tell it from a build effect."""
    for _ in range(NEIGHBOURS):
        chance = chance_of_step(trail, side[1])
        if not LOST <= chance < SURE:
            break
        outward = (range(pair[0] - 1, side[0], -1), range(pair[1] + 1, side[1]))
        for places in outward:
            known = (trail.values, trail.failures)
            new = next((place for place in places if not any(place in seen for seen in known)), None)
            if new is not None:
                yield from trail.ask(new, launch_size(trail), Purpose.CONFIRM)
    return chance_of_step(trail, side[1]) >= SURE


def is_hopeful(trail: Trail, side: tuple[int, int], left: int) -> bool:
    """There is a hint, and with all samples that are left the ends could differ clearly.

    That is: difference + error >= 4 errors as they will be then.
    """
    if best_cut(trail, side) < HINT:
        return False
    seen = contrast(trail, *side)
    taken = sum(len(values) for place in side for values in trail.values[place])
    final = seen.error * math.sqrt(taken / (taken + left))
    return abs(seen.step) + HOPE * seen.error >= CLEAR * final


def best_cut(trail: Trail, side: tuple[int, int]) -> float:
    """Standard errors between the two parts of a side, at its best cut."""
    part = read({place: values for place, values in trail.values.items() if side[0] <= place <= side[1]})
    precision = 1.0 / (part.noise() + launch_variance(part))
    weights, totals = part.sums(precision), part.sums(precision * part.means)
    before, after = np.cumsum(weights)[:-1], np.cumsum(weights[::-1])[::-1][1:]
    apart = np.cumsum(totals[::-1])[::-1][1:] / after - np.cumsum(totals)[:-1] / before
    return float(np.max(np.abs(apart) / np.sqrt(1.0 / before + 1.0 / after)))


def weaker(trail: Trail, low: int, high: int) -> int:
    """The end of a side whose mean is known less well."""
    readings = read({place: trail.values[place] for place in (low, high)})
    precision = readings.sums(1.0 / (readings.noise() + launch_variance(readings)))
    return low if precision[0] <= precision[1] else high


def chance_of_step(trail: Trail, top: int, *, is_even: bool = False) -> float:
    """P(the side that ends at `top` has two levels), all sides of all changes known so far taken together.

    `is_even`: builds of equal code are taken not to differ.
    """
    readings = read(trail.values)
    launch, build, log_prior = effects_grid(max(abs(found.step) for found in trail.found))
    shown = slice(0, 1 if is_even else None)
    levels = np.linspace(readings.means.min(), readings.means.max(), LEVELS)
    grid = Grid(good=levels, bad=levels, launch=launch, build=build[shown], log_prior=log_prior[:, shown])
    density = log_likelihood(readings, levels, grid)
    weights = np.cumsum([item.weight for item in trail.problem.candidates])[readings.positions]
    parts = split(trail, readings.positions)
    sides = [(density[part], weights[part]) for part in parts]
    one = np.array([one_level(side) for side, _ in sides]) + np.log(1 - PRIOR)  # (sides, T, F)
    two = np.array([two_levels(side, places) for side, places in sides]) + np.log(PRIOR)
    either = np.logaddexp(one, two)
    chosen = next(place for place, part in enumerate(parts) if readings.positions[part.stop - 1] >= top)
    rest = either.sum(axis=0) - either[chosen] + grid.log_prior
    with_step = np.logaddexp.reduce(rest + two[chosen], axis=None)
    without = np.logaddexp.reduce(rest + one[chosen], axis=None)
    return float(1.0 / (1.0 + np.exp(np.clip(without - with_step, -700.0, 700.0))))


def split(trail: Trail, positions: Ints) -> list[slice]:
    """The measured commits between changes; one between two steps belongs to both sides."""
    edges = sorted(trail.cuts)
    firsts = np.searchsorted(positions, [0, *(after for _, after in edges)])
    ends = np.searchsorted(positions, [*(before for before, _ in edges), positions[-1]], side="right")
    return [slice(first, end) for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)]


def one_level(side: Floats) -> Floats:
    """Log density (T, F) of the commits of a side, (K, M, T, F), if all have one of the M levels."""
    total: Floats = np.logaddexp.reduce(side.sum(axis=0), axis=0) - np.log(side.shape[1])
    return total


def two_levels(side: Floats, weights: Floats) -> Floats:
    """The same with one level up to a cut and another one behind, summed over cuts by their prior weight.

    `weights` are those of all candidates up to each commit, (K,).
    """
    if len(side) == 1:
        return np.full(side.shape[2:], -np.inf)
    before = np.logaddexp.reduce(side.cumsum(axis=0), axis=1)[:-1]
    after = np.logaddexp.reduce(side[::-1].cumsum(axis=0)[::-1], axis=1)[1:]
    log_weights = np.log(np.diff(weights) / (weights[-1] - weights[0]))
    cuts = log_weights[:, None, None] + before + after
    total: Floats = np.logaddexp.reduce(cuts, axis=0) - 2 * np.log(side.shape[1])
    return total
