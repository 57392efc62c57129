"""The short cut for exact metrics: one launch a build, halving by prior weight, both ends checked twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.answer import Ending
from perfgate.bisection.found import Findings, Found
from perfgate.bisection.grid import UNDONE, grid_places
from perfgate.bisection.probe import Purpose
from perfgate.bisection.trail import View
from perfgate.bisection.untried import untried_near

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.trail import Asking, Trail

    Floats: TypeAlias = NDArray[np.float64]

SMALL = 0.05  # of the whole difference: a smaller rest is not searched
SEVERAL = "some commits lie between the values of the two ends: several changes"


def is_steady(trail: Trail) -> Asking[bool]:
    """Measure both ends twice; false when one of them gave two values, or could not be measured."""
    last = len(trail.problem.candidates) - 1
    for place in (0, last, last, 0):
        is_measured = yield from trail.ask(place, 1, Purpose.ENDPOINT)
        if not is_measured:
            return False
    return all(len(set(values_at(trail, place))) == 1 for place in (0, last))


def search_exact(trail: Trail) -> Asking[Findings]:
    """Find every change between the ends, largest range first; both ends have been measured."""
    last = len(trail.problem.candidates) - 1
    high = last
    for place in grid_places(last, trail.problem.limits.grid):
        is_measured = yield from trail.ask(place, 1, Purpose.GRID)
        if is_measured and high == last and value(trail, last) == value(trail, 0) < value(trail, place):
            high = place
    total = value(trail, high) - value(trail, 0)
    if total <= 0:
        reason = "both ends have the same value" if total == 0 else "the bad end is the better one"
        return Findings(ending=Ending.NO_DIFFERENCE, total=total, reason=reason)
    found = trail.found
    ranges = [(0, high)]
    notes = [UNDONE] if high < last else []
    while ranges and len(found) < trail.problem.limits.max_culprits:
        low, top = ranges.pop(0)
        good, bad = yield from halve(trail, low, top)
        change = yield from again(trail, good, bad)
        if change is None:
            reason = "a clean build gives another value than the first one"
            return Findings(ending=Ending.UNDECIDED, found=tuple(found), total=total, reason=reason)
        found.append(change)
        sides = [(low, good), (bad, top)]
        ranges += [side for side in sides if differs(trail, side, total)]
    if len(found) > 1 or ranges:
        notes.append(SEVERAL)
    if ranges:
        notes.append(f"more than {len(found)} changes; the others were not searched")
    return Findings(ending=None, found=tuple(found), total=total, notes=tuple(notes))


def halve(trail: Trail, low: int, high: int) -> Asking[tuple[int, int]]:
    """The tightest pair of measured neighbours that lie on either side of the middle value."""
    weights = np.array([item.weight for item in trail.problem.candidates])
    middle = (value(trail, low) + value(trail, high)) / 2
    is_rising = value(trail, high) > value(trail, low)
    good, bad = low, high
    while True:
        # what was measured before, by a grid or in another range, narrows the range at once
        inside = [place for place in sorted(trail.launches) if good < place < bad]
        if inside:
            place = inside[len(inside) // 2]
            is_bad = (value(trail, place) > middle) == is_rising
            good, bad = (good, place) if is_bad else (place, bad)
            continue
        weights[list(trail.failures)] = 0.0  # no halving can end at them, so they are no part of a half
        sums = np.cumsum(weights[good + 1 : bad + 1])
        chances = np.concatenate(([0.0], sums / sums[-1]))
        jobs = trail.problem.limits.jobs
        quantiles = np.arange(1, jobs + 1) / (jobs + 1)
        places = untried_near(chances, good, np.array([good, bad]), trail.failures, quantiles)
        if not places:
            return good, bad
        trail.view = View(low=good, left=(good, bad), bad=chances, ahead=tuple(places))
        nearest = min(places, key=lambda place: abs(chances[place - good] - 0.5))
        yield from trail.ask(nearest, 1, Purpose.SEARCH)


def again(trail: Trail, good: int, bad: int) -> Asking[Found | None]:
    """Both neighbours from clean builds; nothing when a value differs from the first one."""
    first = (value(trail, good), value(trail, bad))
    for place in (good, bad):
        is_measured = yield from trail.ask(place, 1, Purpose.CONFIRM, is_clean=True)
        if not is_measured or len(set(values_at(trail, place))) > 1:
            return None
    return Found(
        good=good,
        bad=bad,
        chance=1.0,
        step=first[1] - first[0],
        before=(trail.launches[good][-1],),
        after=(trail.launches[bad][-1],),
    )


def differs(trail: Trail, side: tuple[int, int], total: float) -> bool:
    """The two ends of a side differ by more than a small share of the whole difference."""
    low, high = side
    return abs(value(trail, high) - value(trail, low)) > SMALL * abs(total)


def value(trail: Trail, place: int) -> float:
    """The first value at a position; larger is more of the wanted change."""
    return values_at(trail, place)[0]


def values_at(trail: Trail, place: int) -> list[float]:
    """All values at a position, in order of their launches."""
    problem = trail.problem
    return [problem.sign() * launch.exact[problem.metric.name] for launch in trail.launches[place]]
