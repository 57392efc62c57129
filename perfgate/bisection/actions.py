"""What to measure next: the most information per second, on a probed commit or on a new one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.information import information

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from perfgate.bisection.belief import Belief

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

from perfgate.bisection.readings import SPREAD_PENALTY

BATCHES = np.array([3, 5, 8, 12, 18, 26])
BATCH_SIGNAL = 0.3  # batches grow where a sample says less than this many squared SD of the step
GIVE_UP = 5e-6  # bits per unit of cost, see `Prices.unit`
UNITS_PER_BUILD = 20.0
LEAST_LEFT = 0.15  # of what is not known: a build effect hides the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Seconds of a build, of starting a process and of one sample."""

    build: float
    launch: float
    sample: float

    @property
    def unit(self) -> float:
        """Seconds that bits are counted by: a sample, or more where builds or launches are the cost."""
        return max(self.sample, self.launch, self.build / UNITS_PER_BUILD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A launch of `samples` at a position; `rate` is its bits per unit of cost."""

    position: int
    samples: int
    rate: float


def batches(signal: float) -> Ints:
    """Numbers of samples to choose from, for a step of `signal` SD."""
    scale = max(1.0, round(BATCH_SIGNAL / max(signal**2, 1e-12)))
    sizes: Ints = (BATCHES * scale).astype(np.int64)
    return sizes


def best_action(
    belief: Belief, untried: Mapping[int, float], built: Collection[int], prices: Prices
) -> Action | None:
    """The action with the most bits per second; `untried` are new commits worth a look, with their luck."""
    sizes = batches(belief.step / belief.readings.spread)
    noise = SPREAD_PENALTY * belief.readings.spread**2 / sizes + belief.launch_variance
    options = [
        *_again(belief, sizes, noise, prices),
        *_new(belief, untried, built, (sizes, noise, prices)),
    ]
    return max(options, key=lambda action: action.rate, default=None)


def left_to_learn(belief: Belief) -> float:
    """What endless launches of the probed commits could say, as a share of what is not known yet.

    A build effect sets a limit: D sqrt(1 / phi^2 - 1 / V_c) is all that is left to see of a commit. Without
    one the share is 1 or more.
    """
    places = belief.readings.positions[1:-1]
    precision = belief.readings.sums(1.0 / (belief.readings.noise() + belief.launch_variance))[1:-1]
    ceiling = 1.0 / max(belief.build_variance, 1e-12)
    unseen = np.maximum(ceiling - 1.0 / (1.0 / precision + belief.build_variance), 0.0)
    bits = information(belief.bad[places - belief.low], abs(belief.step) * np.sqrt(unseen))
    segments = belief.segments[belief.segments > 0]
    return float(bits.sum() / max(-(segments * np.log2(segments)).sum(), 1e-12))


def _again(belief: Belief, sizes: Ints, noise: Floats, prices: Prices) -> list[Action]:
    """One more launch of a probed commit between the ends."""
    readings = belief.readings
    if len(readings.positions) <= 2:  # noqa: PLR2004 - the two ends
        return []
    precision = readings.sums(1.0 / (readings.noise() + belief.launch_variance))[1:-1, None]
    before = 1.0 / (1.0 / precision + belief.build_variance)
    after = 1.0 / (1.0 / (precision + 1.0 / noise) + belief.build_variance)
    places = readings.positions[1:-1]
    bits = information(belief.bad[places - belief.low, None], abs(belief.step) * np.sqrt(after - before))
    rates = bits * prices.unit / (prices.launch + prices.sample * sizes)
    row, column = np.unravel_index(int(np.argmax(rates)), rates.shape)
    return [Action(position=int(places[row]), samples=int(sizes[column]), rate=float(rates[row, column]))]


def _new(
    belief: Belief, untried: Mapping[int, float], built: Collection[int], batch: tuple[Ints, Floats, Prices]
) -> list[Action]:
    """A first launch of each of a few commits."""
    sizes, noise, prices = batch
    options = []
    for place, chance_to_build in untried.items():
        chance = belief.bad[place - belief.low]
        distance = abs(belief.step) / np.sqrt(noise + belief.build_variance)
        luck, build = (1.0, 0.0) if place in built else (chance_to_build, prices.build)
        rates = luck * information(chance, distance) * prices.unit
        rates /= build + prices.launch + prices.sample * sizes
        best = int(np.argmax(rates))
        options.append(Action(position=place, samples=int(sizes[best]), rate=float(rates[best])))
    return options
