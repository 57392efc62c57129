"""The search on a sampled metric inside one range whose ends differ: measure, think, confirm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.actions import GIVE_UP, LEAST_LEFT, Action, best_action, left_to_learn
from perfgate.bisection.another_step import chance_of_step
from perfgate.bisection.belief import Belief, believe
from perfgate.bisection.budget import expected_cost
from perfgate.bisection.confirmation import DOUBTFUL_BUILDS, Fresh, confirm, shows_step
from perfgate.bisection.probe import Purpose
from perfgate.bisection.residual import LOST
from perfgate.bisection.several import between_two_steps
from perfgate.bisection.trail import View
from perfgate.bisection.untried import untried_near

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from perfgate.bisection.trail import Asking, Trail

    Floats: TypeAlias = NDArray[np.float64]

LIKELY = 0.9  # a pair is launched again from here on: the fresh launches usually lead to SURE
SURE = 0.999
PATIENCE = 6  # times the expected samples; what has not been told by then will not be
LEFT = 0.99  # chance of the set that the progress line counts
MOST_REFUSALS = 4  # of pairs whose fresh launches show no step; then the data contradict the model


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunted:
    """What came of a range: a confirmed pair, a position to split it at, or the reason for neither."""

    belief: Belief
    pair: tuple[int, int] | None = None
    fresh: Fresh | None = None
    split: int | None = None
    reason: str = ""


def hunt(trail: Trail, low: int, high: int) -> Asking[Hunted]:
    """Search the range; both ends have launches that differ. Behind a culprit it may hold nothing."""
    weights = np.array([item.weight for item in trail.problem.candidates])
    fresh: dict[tuple[int, int], Fresh] = {}
    refused = 0
    spent = trail.samples()
    patience = spent + PATIENCE * (expected_cost(trail, low, high).samples - spent)
    while True:
        belief = believe(trail.values, weights, low, high)
        places = targets(trail, belief, high)
        look(trail, belief, places)
        good, bad, chance = belief.pair()
        is_tight = not testable(trail, good, bad)
        if is_tight and chance >= LIKELY and (good, bad) not in fresh:
            fresh[good, bad] = yield from confirm(trail, belief, (good, bad))
            continue
        if is_tight and chance >= SURE:
            if shows_step(trail, belief, (good, bad)):
                return Hunted(belief=belief, pair=(good, bad), fresh=fresh[good, bad])
            refused += 1
            if refused == MOST_REFUSALS:
                return Hunted(belief=belief, reason="fresh launches did not confirm a commit")
            del fresh[good, bad]
            continue
        if belief.build_chance > DOUBTFUL_BUILDS:
            middle = between_two_steps(belief.readings, belief.launch_variance)
            if middle is not None:
                return Hunted(belief=belief, split=middle)
        if trail.found and chance_of_step(trail, high) < LOST:
            return Hunted(belief=belief)
        action = best_action(belief, places, trail.built, trail.prices())
        is_long = trail.samples() > patience
        if action is None or is_long or action.rate < GIVE_UP or is_hidden(trail, belief, action):
            return Hunted(belief=belief, reason=give_up_reason(belief))
        yield from trail.ask(action.position, action.samples, Purpose.SEARCH)


def testable(trail: Trail, good: int, bad: int) -> bool:
    """Some commit between the two has not been tried."""
    return any(place not in trail.failures for place in range(good + 1, bad))


def is_hidden(trail: Trail, belief: Belief, action: Action) -> bool:
    """The next launch is of a probed commit, and the build effect hides what launches could still say."""
    return action.position in trail.values and left_to_learn(belief) < LEAST_LEFT


def targets(trail: Trail, belief: Belief, high: int) -> dict[int, float]:
    """The new commits worth a look with their chance to build: at the median, and the best built one."""
    jobs = trail.problem.limits.jobs
    quantiles = np.arange(1, jobs + 1) / (jobs + 1)
    tried = belief.readings.positions
    places = untried_near(belief.bad, belief.low, tried, trail.failures, quantiles)
    ready = [
        place
        for place in trail.built
        if belief.low < place < high and place not in trail.values and place not in trail.failures
    ]
    if ready:
        best = min(ready, key=lambda place: (abs(belief.bad[place - belief.low] - 0.5), place))
        places.setdefault(best, 1.0)
    return places


def look(trail: Trail, belief: Belief, places: Collection[int]) -> None:
    """Remember the belief for the progress line and for prefetching."""
    trail.view = View(
        low=belief.low,
        left=belief.smallest_run(LEFT),
        bad=belief.bad,
        ahead=tuple(places) if trail.problem.limits.jobs > 1 else (),
    )


def give_up_reason(belief: Belief) -> str:
    """Why measuring on would not pay."""
    if belief.build_chance > 0.5:  # noqa: PLR2004 - likelier than not
        effect = 100 * belief.build_variance**0.5
        return f"builds of equal code differ by {effect:.1f} %, so single commits cannot be told apart"
    return "further measurements would say too little for their cost"
