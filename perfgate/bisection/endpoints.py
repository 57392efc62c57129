"""Are the two ends of a range different at all? Interleaved launches until that is beyond doubt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.bisection.posterior import LEAST_LAUNCH_EFFECT
from perfgate.bisection.readings import SPREAD_PENALTY, Readings, read
from perfgate.stats.laws import normal_tail, t_tail

if TYPE_CHECKING:
    from perfgate.bisection.probe import Purpose
    from perfgate.bisection.trail import Asking, Trail

BATCH, LEAST_BATCH = 10, 3  # samples of a launch; fewer than three have no median that an outlier spares
LEAST_LAUNCHES = 2  # at each end
MOST_SAMPLES = 240  # at each end
CLEAR = 4.0  # standard errors
SPOILT = 3.0  # robust SD of a launch's distance from its commit
MAD_TO_SD = 1.4826


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two commits compared: difference of their levels (log units, wanted direction) and its error."""

    step: float
    error: float
    spread: float
    freedom: float  # samples less commits: what sd and tau are known by

    @property
    def z(self) -> float:
        """Standard errors between them."""
        return self.step / self.error

    @property
    def is_clear(self) -> bool:
        """In either direction, and as rare by Student's law as 4 standard errors are by the normal one."""
        return bool(t_tail(abs(self.z), self.freedom) <= normal_tail(CLEAR))


def contrast(trail: Trail, good: int, bad: int) -> Contrast:
    """Compare all launches of two positions.

    z = (m_bad - m_good) / sqrt(1.07 sd^2 (1/n_g + 1/n_b) + tau^2 (1/u_g + 1/u_b)); n are the samples that
    count. sd and tau are those of all launches so far.
    """
    readings = read(trail.values)
    ends = np.searchsorted(readings.positions, (good, bad))
    launches = np.bincount(readings.owner)[ends]
    counts = readings.sums(readings.counts)[ends]
    means = readings.sums(readings.means * readings.counts)[ends] / counts
    tau = launch_variance(readings)
    variance = SPREAD_PENALTY * readings.spread**2 * float((1 / counts).sum())
    variance += tau * float((1 / launches).sum())
    return Contrast(
        step=float(means[1] - means[0]),
        error=math.sqrt(variance),
        spread=readings.spread,
        freedom=max(float(readings.counts.sum()) - len(readings.positions), 1.0),
    )


def launch_variance(readings: Readings) -> float:
    """tau^2 from the scatter of the launches of each commit (DerSimonian and Laird 1986), at least .3 %.

    A launch that something else has spoilt is pulled in to 3 robust SD, or it would stand for all.
    """
    weights = 1.0 / readings.noise()
    totals = readings.sums(weights)
    means = readings.sums(readings.means * weights) / totals
    apart = np.abs(readings.means - means[readings.owner]) * np.sqrt(weights)
    several = np.bincount(readings.owner)[readings.owner] > 1
    if several.any():
        apart = np.minimum(apart, SPOILT * max(1.0, MAD_TO_SD * float(np.median(apart[several]))))
    freedom = len(readings.means) - len(totals)
    scale = float(weights.sum() - (readings.sums(weights**2) / totals).sum())
    excess = (float((apart**2).sum()) - freedom) / scale if scale > 0 else 0.0
    return max(excess, LEAST_LAUNCH_EFFECT**2)


def launch_size(trail: Trail) -> int:
    """Samples of a launch that tell two commits apart at the least cost.

    sqrt(launch cost / sample cost x sd^2 / tau^2): the optimum of two-stage sampling (Cochran 1977, 10.6).
    """
    readings = read(trail.values)
    prices = trail.prices()
    ratio = SPREAD_PENALTY * readings.spread**2 / launch_variance(readings)
    best = math.sqrt(prices.launch / prices.sample * ratio)
    return round(min(max(best, LEAST_BATCH), BATCH))


def separate(trail: Trail, good: int, bad: int, purpose: Purpose) -> Asking[bool]:
    """Launch both ends in ABBA order until they differ (true) or one has 240 samples (false).

    True also when bad is clearly *better* than good: the caller looks at the sign.
    """
    has_failed = yield from launch_both(trail, good, bad, BATCH, purpose)
    while not has_failed:
        launches = [len(trail.launches[place]) for place in (good, bad)]
        if min(launches) >= LEAST_LAUNCHES and contrast(trail, good, bad).is_clear:
            return True
        if max(sum(map(len, trail.values[place])) for place in (good, bad)) >= MOST_SAMPLES:
            return False
        has_failed = yield from launch_both(trail, good, bad, launch_size(trail), purpose)
    return False


def launch_both(trail: Trail, good: int, bad: int, samples: int, purpose: Purpose) -> Asking[bool]:
    """One launch of each, the order turned round every other time; true when one of them failed."""
    order = (good, bad) if len(trail.launches.get(good, ())) % 2 == 0 else (bad, good)
    for place in order:
        is_measured = yield from trail.ask(place, samples, purpose)
        if not is_measured:
            return True
    return False
