from __future__ import annotations

import math

import numpy as np
import pytest

from perfgate.bisection.readings import read


def test_launches_stand_side_by_side_in_order_of_position() -> None:
    readings = read({7: [np.array([1.0, 1.2])], 2: [np.array([0.0]), np.array([0.1, 0.1, 0.1])]})
    assert readings.positions.tolist() == [2, 7]
    assert readings.owner.tolist() == [0, 0, 1]
    assert readings.counts == pytest.approx([1, 3, 2], rel=0.05)


def test_spread_is_pooled_inside_launches() -> None:
    # two launches of -1, 0, 1: squares 2 + 2, degrees of freedom 2 + 2, SD 1; their own levels do not count.
    # A sample at r SD weighs 1 / (1 + .02 / .98 / 3.05 exp(r^2 / 2 (1 - 1 / 3.05^2))): .990 at 1, .993 at 0
    readings = read({0: [np.array([-1.0, 0.0, 1.0])], 1: [np.array([99.0, 100.0, 101.0])]})
    assert readings.counts == pytest.approx([2 * 0.9897 + 0.9933] * 2, abs=2e-4)
    assert readings.spread == pytest.approx(math.sqrt(2 * 0.9897 / 1.9727), abs=1e-3)
    assert readings.noise() == pytest.approx(1.07 * readings.spread**2 / readings.counts)


def test_a_slow_outlier_does_not_count() -> None:
    random = np.random.default_rng(3)
    values = 0.03 * random.standard_normal(30)
    spoilt = values.copy()
    spoilt[4] += 0.5
    calm, weighted = (read({0: [values], 1: [batch]}) for batch in (values, spoilt))
    # with it the mean moves by .5 / 30 = .017; without that sample, by its own share: at most .06 / 30
    assert abs(weighted.means[1] - calm.means[1]) < 0.002
    assert weighted.counts[1] == pytest.approx(calm.counts[1] - 1, abs=0.1)


def test_two_modes_with_a_good_share_each_are_one_wide_noise() -> None:
    random = np.random.default_rng(5)
    modes = 0.3 * (random.random((30, 5)) < 0.3)
    readings = read({place: [0.01 * random.standard_normal(5) + mode] for place, mode in enumerate(modes)})
    # .3 sqrt(.3 .7) = .137; a start at the narrow mode would throw three samples of ten away
    assert readings.spread == pytest.approx(0.137, rel=0.1)
    assert readings.counts.sum() > 0.97 * 150


def test_a_launch_of_nothing_but_outliers_says_next_to_nothing() -> None:
    random = np.random.default_rng(6)
    calm = {place: [0.001 * random.standard_normal(5)] for place in range(1, 40)}
    readings = read({0: [np.array([0.0, 0.0, 1.0, 1.0])], **calm})
    assert readings.spread == pytest.approx(0.001, rel=0.1)
    assert readings.counts[0] < 1e-3
    assert np.isfinite(readings.means).all()


def test_a_timer_that_always_says_the_same_has_a_least_spread() -> None:
    assert read({0: [np.zeros(5)], 1: [np.zeros(5)]}).spread == 1e-6


def test_launches_of_a_commit_are_weighed_by_their_precision() -> None:
    readings = read({0: [np.array([0.0, 0.01, 0.02]), np.array([0.05] * 9 + [0.06])]})
    means, precision = readings.commits(1e-4)
    weights = 1 / (readings.noise() + 1e-4)
    assert precision == pytest.approx([weights.sum()])
    assert means == pytest.approx([np.average(readings.means, weights=weights)])
