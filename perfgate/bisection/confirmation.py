"""A pair of neighbours is named only after fresh launches at both show the step again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.endpoints import BATCH, contrast, launch_both, launch_size
from perfgate.bisection.probe import Purpose
from perfgate.bisection.readings import SPREAD_PENALTY

if TYPE_CHECKING:
    from perfgate.bisection.belief import Belief
    from perfgate.bisection.probe import Launch
    from perfgate.bisection.trail import Asking, Trail

LAUNCHES = 2  # fresh ones at each of the two
PRECISION = 3.0  # they are as long as it takes for the whole step to be this many standard errors
NEIGHBOURS = 2  # on each side, when builds of equal code may differ
DOUBTFUL_BUILDS = 0.3  # chance of a build effect from which neighbours are measured too
WHOLE = 0.5  # share of the step from which a commit explains it; less is one of several
SEVERAL = 3.0  # standard errors from which a smaller step is real


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """The launches at a pair that were made after it had become the likely one."""

    before: tuple[Launch, ...] = ()
    after: tuple[Launch, ...] = ()


def confirm(trail: Trail, belief: Belief, pair: tuple[int, int]) -> Asking[Fresh]:
    """Launch the pair again, and two neighbours on each side when a build effect is likely."""
    good, bad = pair
    seen = {place: len(trail.launches[place]) for place in pair}
    launches, size = fresh_launches(trail, belief)
    for _ in range(launches):
        yield from launch_both(trail, good, bad, size, Purpose.CONFIRM)
    if belief.build_chance > DOUBTFUL_BUILDS:
        for place in neighbours(trail, belief, pair):
            yield from trail.ask(place, size, Purpose.CONFIRM)
    return Fresh(
        before=tuple(trail.launches[good][seen[good] :]), after=tuple(trail.launches[bad][seen[bad] :])
    )


def shows_step(trail: Trail, belief: Belief, pair: tuple[int, int]) -> bool:
    """The pair differs the right way, by half of the range's step or by what noise cannot explain."""
    difference = contrast(trail, *pair)
    share = difference.step / belief.step
    return share >= WHOLE or (share > 0 and abs(difference.z) >= SEVERAL)


def confirmation_size(signal: float) -> int:
    """Samples of one fresh launch when the step is `signal` SD; without launch effects z is 3."""
    needed = SPREAD_PENALTY * 2 * (PRECISION / signal) ** 2 / LAUNCHES
    return max(BATCH, math.ceil(needed))


def fresh_launches(trail: Trail, belief: Belief) -> tuple[int, int]:
    """How many launches of how many samples at each of the two.

    Two of the usual size, or more and shorter ones that say as much where it is the launches that differ.
    """
    size = confirmation_size(belief.step / belief.readings.spread)
    if size > BATCH:
        return LAUNCHES, size
    noise = SPREAD_PENALTY * belief.readings.spread**2
    best = launch_size(trail)
    usual, shorter = (noise / samples + belief.launch_variance for samples in (size, best))
    return math.ceil(LAUNCHES * shorter / usual), best


def neighbours(trail: Trail, belief: Belief, pair: tuple[int, int]) -> list[int]:
    """Up to two commits on each side that have not been found broken and have been launched once at most."""
    last = belief.low + len(belief.bad) - 1
    sides = (range(pair[0] - 1, belief.low - 1, -1), range(pair[1] + 1, last + 1))
    found = []
    for side in sides:
        usable = [place for place in side if place not in trail.failures][:NEIGHBOURS]
        found += [place for place in usable if len(trail.launches.get(place, ())) <= 1]
    return found
