"""What the launches of a range say: levels, effects, and P(bad) of every commit in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.posterior import (
    LEAST_LAUNCH_EFFECT,
    NODES,
    Grid,
    Posterior,
    effects_grid,
    posterior,
)
from perfgate.bisection.readings import Readings, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Bools: TypeAlias = NDArray[np.bool_]

# Commits with P(bad) below it, or above 1 - it, tell the levels. Just beside .1, which is met exactly where
# the data say nothing: rounding must not decide.
PLACED = 0.1 - 1e-9
_ROUNDS = 2  # of levels and posterior; the first knows only the end points


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """The state of knowledge about one range, computed anew from all its launches.

    `low` is the position of its good end, `bad` the chance of being bad of the positions from there on.
    `launch_variance` and `build_variance` are tau^2 and phi^2, averaged over the posterior.
    """

    readings: Readings
    low: int
    segments: Floats
    bad: Floats
    good_level: float
    bad_level: float
    launch_variance: float
    build_variance: float
    build_chance: float  # that the build effect is not zero

    @property
    def step(self) -> float:
        """Difference of the two levels."""
        return self.bad_level - self.good_level

    def pair(self) -> tuple[int, int, float]:
        """Positions round the likeliest segment, and its chance."""
        best = int(np.argmax(self.segments))
        places = self.readings.positions
        return int(places[best]), int(places[best + 1]), float(self.segments[best])

    def smallest_run(self, share: float) -> tuple[int, int]:
        """Positions (first, last] of the shortest run of segments that holds the culprit with this chance."""
        places = self.readings.positions
        total = np.concatenate(([0.0], np.cumsum(self.segments)))
        runs = []
        for first in range(len(self.segments)):
            last = int(np.searchsorted(total, total[first] + share * total[-1] - 1e-12))
            if last < len(total):
                runs.append((int(places[last] - places[first]), int(places[first]), int(places[last])))
        _, first_place, last_place = min(runs)
        return first_place, last_place


def believe(values: Mapping[int, Sequence[Floats]], weights: Floats, low: int, high: int) -> Belief:
    """The belief about positions low..high; both ends have launches, `weights` are of all positions."""
    readings = read({place: batch for place, batch in values.items() if low <= place <= high})
    sums = np.concatenate(([0.0], np.cumsum(weights[low : high + 1])))
    inner = readings.positions - low
    before, after = sums[inner[:-1] + 1], sums[inner[1:] + 1]
    is_good = inner == 0
    is_bad = inner == inner[-1]
    variances = (LEAST_LAUNCH_EFFECT**2, 0.0)
    for _ in range(_ROUNDS):
        good_level, good_error = level(readings, is_good, *variances)
        bad_level, bad_error = level(readings, is_bad, *variances)
        launch, build, log_prior = effects_grid(abs(bad_level - good_level))
        grid = Grid(
            good=good_level + NODES * good_error,
            bad=bad_level + NODES * bad_error,
            launch=launch,
            build=build,
            log_prior=log_prior,
        )
        found = posterior(readings, np.log(after - before), grid)
        effects = found.effects
        variances = (float(effects.sum(axis=1) @ launch**2), float(effects.sum(axis=0) @ build**2))
        chances = found.bad()
        is_good, is_bad = chances < PLACED, chances > 1 - PLACED
        is_good[0] = is_bad[-1] = True
    return Belief(
        readings=readings,
        low=low,
        segments=found.segments,
        bad=_spread_chances(found, sums[1:], before, after, inner),
        good_level=good_level,
        bad_level=bad_level,
        launch_variance=variances[0],
        build_variance=variances[1],
        build_chance=float(1.0 - effects[:, 0].sum()),
    )


def level(readings: Readings, chosen: Bools, launch: float, build: float) -> tuple[float, float]:
    """Precision-weighted mean of the chosen commits (log units) and its standard error."""
    means, precision = readings.commits(launch)
    weights = (1.0 / (1.0 / precision + build))[chosen]
    return float(weights @ means[chosen] / weights.sum()), float(weights.sum() ** -0.5)


def _spread_chances(
    found: Posterior, sums: Floats, before: Floats, after: Floats, inner: NDArray[np.int64]
) -> Floats:
    """P(bad) of every commit: inside a segment the chance is spread by prior weight."""
    segment = np.clip(np.searchsorted(inner, np.arange(len(sums)), side="left") - 1, 0, len(before) - 1)
    share = np.clip((sums - before[segment]) / (after - before)[segment], 0.0, 1.0)
    chances: Floats = found.bad()[segment] + found.segments[segment] * share
    return chances
