"""A pair of neighbours is named only after fresh launches at both show the step again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.endpoints import BATCH, contrast, launch_both
from perfgate.bisection.probe import Purpose
from perfgate.bisection.readings import SPREAD_PENALTY

if TYPE_CHECKING:
    from perfgate.bisection.belief import Belief
    from perfgate.bisection.probe import Launch
    from perfgate.bisection.trail import Asking, Trail

LAUNCHES = 2  # fresh ones at each of the two
PRECISION = 3.5  # they are as long as it takes for the whole step to be this many standard errors
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
    size = confirmation_size(belief.step / belief.readings.spread)
    for _ in range(LAUNCHES):
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
    """Samples of one fresh launch when the step is `signal` SD; without launch effects z is 3.5."""
    needed = SPREAD_PENALTY * 2 * (PRECISION / signal) ** 2 / LAUNCHES
    return max(BATCH, math.ceil(needed))


def neighbours(trail: Trail, belief: Belief, pair: tuple[int, int]) -> list[int]:
    """Up to two commits on each side that have not been found broken and have been launched once at most."""
    last = belief.low + len(belief.bad) - 1
    sides = (range(pair[0] - 1, belief.low - 1, -1), range(pair[1] + 1, last + 1))
    found = []
    for side in sides:
        usable = [place for place in side if place not in trail.failures][:NEIGHBOURS]
        found += [place for place in usable if len(trail.launches.get(place, ())) <= 1]
    return found
