"""After a culprit: does one side of it still hold a change? Free when the launches so far show no hint."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from perfgate.bisection.another_step import chance_of_step
from perfgate.bisection.endpoints import CLEAR, contrast, launch_size, launch_variance
from perfgate.bisection.probe import Purpose
from perfgate.bisection.readings import read

if TYPE_CHECKING:
    from perfgate.bisection.trail import Asking, Trail

HINT = 1.0  # standard errors between the two parts of a side, at the best cut
HOPE = 1.0  # standard errors by which the ends may differ more than seen
WORTH = 0.99  # chance of another change from which to search for it: new commits tell it from a build effect
LOST = 0.1  # under which a search is given up
SURE = 0.98  # from which what the search found is named
NEIGHBOURS = 4  # new commits on each side of a doubtful pair
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


def settle(trail: Trail, side: tuple[int, int], pair: tuple[int, int]) -> Asking[float]:
    """Chance that a side with a likely pair holds a change: new commits tell it from a build effect."""
    chance = chance_of_step(trail, side[1])
    for _ in range(NEIGHBOURS):
        if not LOST <= chance < SURE:
            break
        outward = (range(pair[0] - 1, side[0], -1), range(pair[1] + 1, side[1]))
        for places in outward:
            known = (trail.values, trail.failures)
            new = next((place for place in places if not any(place in seen for seen in known)), None)
            if new is not None:
                yield from trail.ask(new, launch_size(trail), Purpose.CONFIRM)
        chance = chance_of_step(trail, side[1])
    return chance


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
    means, weights = part.commits(launch_variance(part))
    totals = weights * means
    before, after = np.cumsum(weights)[:-1], np.cumsum(weights[::-1])[::-1][1:]
    apart = np.cumsum(totals[::-1])[::-1][1:] / after - np.cumsum(totals)[:-1] / before
    return float(np.max(np.abs(apart) / np.sqrt(1.0 / before + 1.0 / after)))


def weaker(trail: Trail, low: int, high: int) -> int:
    """The end of a side whose mean is known less well."""
    readings = read({place: trail.values[place] for place in (low, high)})
    _, precision = readings.commits(launch_variance(readings))
    return low if precision[0] <= precision[1] else high
