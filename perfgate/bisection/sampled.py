"""The search on a sampled metric: are the ends different, where is the change, and is anything left?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.bisection.answer import Ending
from perfgate.bisection.budget import expected_cost
from perfgate.bisection.endpoints import (
    BATCH,
    CLEAR,
    LEAST_LAUNCHES,
    Contrast,
    contrast,
    separate,
)
from perfgate.bisection.found import Findings, Found
from perfgate.bisection.grid import UNDONE, grid_places
from perfgate.bisection.hunt import Hunted, hunt
from perfgate.bisection.probe import Purpose
from perfgate.bisection.residual import SURE, rest_differs, settle

if TYPE_CHECKING:
    from perfgate.bisection.trail import Asking, Trail

POWER = 1.28  # a change is found in 90 % of searches when it is this much over CLEAR


def search_sampled(trail: Trail) -> Asking[Findings]:
    """Find the changes between the ends; an end that cannot be measured is left to the caller."""
    last = len(trail.problem.candidates) - 1
    is_clear = yield from separate(trail, 0, last, Purpose.ENDPOINT)
    if not (trail.values.get(0) and trail.values.get(last)):
        return Findings(ending=Ending.UNDECIDED, reason="an end could not be measured")
    high = last
    for place in grid_places(last, trail.problem.limits.grid):
        yield from trail.ask(place, BATCH, Purpose.GRID)
        if not is_clear and high == last and place in trail.values:
            differs = yield from separate(trail, 0, place, Purpose.GRID)
            if differs and contrast(trail, 0, place).step > 0:
                high = place
    ends = contrast(trail, 0, high)
    if high == last and (not is_clear or ends.step < 0):
        return Findings(ending=Ending.NO_DIFFERENCE, total=ends.step, reason=null_reason(trail, ends, last))
    trail.expected = expected_cost(trail, 0, high)
    return (yield from search_ranges(trail, high, ends.step))


def search_ranges(trail: Trail, high: int, total: float) -> Asking[Findings]:
    """Hunt in the whole range, then on each side of a culprit that still differs."""
    found = trail.found
    ranges = [(0, high)]
    if high < len(trail.problem.candidates) - 1:
        trail.splits.append(high)  # what lies behind is undone somewhere and has a side of its own
    reason = ""
    while ranges and len(found) < trail.problem.limits.max_culprits:
        low, top = ranges.pop(0)
        hunted = yield from hunt(trail, low, top)
        if hunted.split is not None:
            ranges += yield from halves(trail, (low, top), hunted.split)
        elif hunted.pair is None:
            reason = reason or hunted.reason
        else:  # the ends put the first change beyond doubt
            chance = (yield from settle(trail, (low, top), hunted.pair)) if found else 1.0
            if chance >= SURE:
                found.append(as_found(trail, hunted, *hunted.pair, chance))
                ranges += yield from sides(trail, (low, top), hunted.pair)
    notes = [UNDONE] if high < len(trail.problem.candidates) - 1 else []
    if ranges:
        notes.append(f"more than {len(found)} changes; the others were not searched")
    if not found:
        reason = reason or "the commits have several levels that cannot be told apart"
    ending = None if found else Ending.UNDECIDED
    return Findings(ending=ending, found=tuple(found), total=total, reason=reason, notes=tuple(notes))


def halves(trail: Trail, whole: tuple[int, int], middle: int) -> Asking[list[tuple[int, int]]]:
    """The ranges on both sides of a commit between two steps whose ends differ."""
    trail.splits.append(middle)
    ranges = []
    for side in ((whole[0], middle), (middle, whole[1])):
        is_clear = yield from separate(trail, *side, Purpose.SEARCH)
        ranges += [side] if is_clear else []
    return ranges


def sides(trail: Trail, whole: tuple[int, int], pair: tuple[int, int]) -> Asking[list[tuple[int, int]]]:
    """What is left and right of a culprit and may hold another one."""
    ranges: list[tuple[int, int]] = []
    for side in ((whole[0], pair[0]), (pair[1], whole[1])):
        if len(trail.found) < trail.problem.limits.max_culprits:
            differs = yield from rest_differs(trail, *side)
            ranges += [side] if differs else []
    return ranges


def as_found(trail: Trail, hunted: Hunted, good: int, bad: int, is_change: float) -> Found:
    """The confirmed pair as a value; `is_change` is the chance that there is anything to find.

    The step is that of all its launches.
    """
    return Found(
        good=good,
        bad=bad,
        chance=is_change * float(hunted.belief.segments.max()),
        step=contrast(trail, good, bad).step,
        before=hunted.fresh.before if hunted.fresh else (),
        after=hunted.fresh.after if hunted.fresh else (),
    )


def null_reason(trail: Trail, ends: Contrast, last: int) -> str:
    """Why nothing is searched, with the samples that would settle a change as large as the one seen."""
    if ends.step < 0 and ends.is_clear:
        return "the bad end is the better one"
    launches = min(len(trail.launches[place]) for place in (0, last))
    needed = launches * BATCH * ((CLEAR + POWER) / max(abs(ends.z), 1e-3)) ** 2
    seen = 100 * math.expm1(ends.step)
    return (
        f"the ends differ by {seen:+.2f} % with z = {ends.z:.1f} after {launches} launches each "
        f"(at least {LEAST_LAUNCHES}; {CLEAR:.0f} is asked); if that is real, "
        f"it takes about {needed:.0f} samples at each end"
    )
