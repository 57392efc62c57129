"""What a search is going to cost, said as soon as the end points are told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.bisection.answer import Cost
from perfgate.bisection.confirmation import LAUNCHES, confirmation_size
from perfgate.bisection.endpoints import contrast
from perfgate.bisection.untried import BUILD_LUCK

if TYPE_CHECKING:
    from perfgate.bisection.trail import Trail

# Samples per halving of the range, measured: a few, and what telling two levels d SD apart takes.
PER_HALVING, PER_SIGNAL = 2.4, 28.0
SAMPLES_PER_LAUNCH = 6.0


def expected_cost(trail: Trail, low: int, high: int) -> Cost:
    """Totals at the end of a search of this range, whose ends have been told apart."""
    ends = contrast(trail, low, high)
    signal = ends.step / ends.spread
    halvings = max(1.0, math.log2(high - low))
    confirmation = 2 * LAUNCHES * confirmation_size(signal)
    samples = trail.samples() + halvings * (PER_HALVING + PER_SIGNAL / signal**2) + confirmation
    new_builds = halvings / BUILD_LUCK
    prices = trail.prices()
    more = samples - trail.samples()
    launches = more / SAMPLES_PER_LAUNCH
    seconds = new_builds * prices.build + launches * prices.launch + more * prices.sample
    return Cost(
        builds=len(trail.build_seconds) + math.ceil(new_builds),
        launches=sum(map(len, trail.launches.values())) + math.ceil(launches),
        samples=math.ceil(samples),
        seconds=trail.seconds + seconds,
    )
