"""Measured commits with one culprit that was found, for tests of what is left beside it."""

from __future__ import annotations

import numpy as np

from perfgate.bisection.found import Found
from perfgate.bisection.probe import Launch
from perfgate.bisection.problem import Problem
from perfgate.bisection.trail import Trail
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground

CULPRIT = Found(good=9, bad=10, chance=0.9995, step=0.08, before=(), after=())


def trail_of(levels: list[float], *, noise: float = 0.01) -> Trail:
    """Two launches of each commit, and a culprit of 8 % behind position 9."""
    random = np.random.default_rng(4)
    trail = Trail(Problem(candidates=Ground(commits=50).candidates(), metric=KNOWN_METRICS["latency"]))
    for place, level in enumerate(levels):
        trail.values[place] = [level + noise * random.standard_normal(20) for _ in range(2)]
        trail.launches[place] = [
            Launch(samples=tuple(values), seconds=1.0, overhead=0.1) for values in trail.values[place]
        ]
    trail.found.append(CULPRIT)
    return trail
