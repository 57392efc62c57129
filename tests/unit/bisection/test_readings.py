from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.readings import read


def test_launches_stand_side_by_side_in_order_of_position() -> None:
    readings = read({7: [np.array([1.0, 1.2])], 2: [np.array([0.0]), np.array([0.1, 0.1, 0.1])]})
    assert readings.positions.tolist() == [2, 7]
    assert readings.owner.tolist() == [0, 0, 1]
    assert readings.counts.tolist() == [1, 3, 2]


def test_spread_is_pooled_inside_launches() -> None:
    # two launches of -1, 0, 1: squares 2 + 2, degrees of freedom 2 + 2, SD 1; their own levels do not count
    readings = read({0: [np.array([-1.0, 0.0, 1.0])], 1: [np.array([99.0, 100.0, 101.0])]})
    assert readings.spread == pytest.approx(1.0)
    assert readings.noise() == pytest.approx([1.1 / 3, 1.1 / 3])


def test_a_slow_outlier_is_pulled_in() -> None:
    random = np.random.default_rng(3)
    values = 0.03 * random.standard_normal(30)
    spoilt = values.copy()
    spoilt[4] += 0.5
    calm, clipped = (read({0: [values], 1: [batch]}) for batch in (values, spoilt))
    # without clipping the mean moves by .5 / 30 = .017; clipped at 2.5 SD, by at most 5 x .035 / 30 = .006
    assert abs(clipped.means[1] - calm.means[1]) < 0.006


def test_a_timer_that_always_says_the_same_has_a_least_spread() -> None:
    assert read({0: [np.zeros(5)], 1: [np.zeros(5)]}).spread == 1e-6
