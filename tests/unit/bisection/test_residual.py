from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.endpoints import Contrast
from perfgate.bisection.problem import Problem
from perfgate.bisection.residual import best_cut, build_variance, can_become_clear
from perfgate.bisection.trail import Trail
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground


def trail_of(levels: list[float], *, noise: float = 0.01, samples: int = 20) -> Trail:
    random = np.random.default_rng(4)
    trail = Trail(Problem(candidates=Ground(commits=50).candidates(), metric=KNOWN_METRICS["latency"]))
    trail.values = {
        place: [level + noise * random.standard_normal(samples)] for place, level in enumerate(levels)
    }
    return trail


def test_the_cut_is_where_the_level_changes() -> None:
    place, apart = best_cut(trail_of([0.0] * 4 + [0.03] * 4), (0, 7), 0.0)
    assert place == 3
    assert apart > 4


def test_a_build_effect_weakens_the_cut() -> None:
    trail = trail_of([0.0] * 4 + [0.03] * 4)
    assert best_cut(trail, (0, 7), 0.02**2)[1] < best_cut(trail, (0, 7), 0.0)[1]


def test_commits_that_scatter_have_a_build_variance() -> None:
    effects = 0.02 * np.random.default_rng(9).standard_normal(50)
    # 48 degrees of freedom: the standard error of the variance is about sqrt(2 / 48) = 20 %
    assert build_variance(trail_of(list(effects)), 20) == pytest.approx(float(effects.var()), rel=0.5)
    assert build_variance(trail_of([0.0] * 8), 3) == 0.0


def test_a_small_difference_is_given_up_when_it_can_no_longer_be_proved() -> None:
    trail = trail_of([0.0, 0.0])  # 20 samples at each end
    # 80 more: the final error is .01 sqrt(20 / 100) = .00447, and four of them .0179
    seen = Contrast(step=0.009, error=0.01, spread=0.01)
    assert can_become_clear(trail, (0, 1), seen, (80, 0.0))
    assert not can_become_clear(trail, (0, 1), Contrast(step=0.007, error=0.01, spread=0.01), (80, 0.0))
    # 10 more: .01 sqrt(20 / 30) = .00816, four of them .0327
    assert not can_become_clear(trail, (0, 1), seen, (10, 0.0))
