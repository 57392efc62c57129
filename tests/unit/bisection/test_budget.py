from __future__ import annotations

import pytest

from perfgate.bisection.answer import Ending
from perfgate.bisection.problem import Problem
from perfgate.bisection.search import find
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground, World


@pytest.mark.parametrize(("step", "noise"), [(0.05, 0.03), (0.05, 0.01), (0.20, 0.03)])
def test_the_estimate_is_near_the_mean_of_what_is_spent(step: float, noise: float) -> None:
    ratios = []
    for seed in range(12):
        ground = Ground(commits=1000, steps=((300 + 40 * seed, step),), noise=noise)
        answer = find(
            Problem(candidates=ground.candidates(), metric=KNOWN_METRICS["latency"]),
            World(ground=ground, seed=seed),
        )
        assert answer.ending is Ending.CULPRIT
        assert answer.expected.builds - 2 <= answer.cost.builds <= answer.expected.builds + 4
        ratios.append(answer.cost.samples / answer.expected.samples)
    # one search spends between half and twice the estimate; the mean of twelve lies nearer
    assert 0.6 < sum(ratios) / len(ratios) < 1.5
