"""Drift: worked figures of STATISTICS section 6, and the law of V by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from perfgate.stats.drift import PURE_WALK, clear_trends, drift_factor, find_drift, walk_ratio


def test_walk_ratio_of_the_worked_example() -> None:
    assert walk_ratio(1.36, 5) == pytest.approx(1.7778, abs=5e-5)
    assert walk_ratio(0.9, 5) == PURE_WALK  # V (R + 1) / 6 = .9: no room for white noise


def test_factor_of_the_worked_examples() -> None:
    assert float(drift_factor(1.78, 5, 3)) == pytest.approx(3.9488, abs=5e-5)
    assert float(drift_factor(1.78, 5, 1)) == pytest.approx(1.5336, abs=5e-5)
    assert float(drift_factor(100, 5, 3)) == pytest.approx(5.7590, abs=5e-5)


def test_without_drift_nothing_is_widened() -> None:
    assert drift_factor(0.0, [5, 4], [3, 1]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("runs", [4, 5, 8])
def test_the_score_of_exchangeable_runs_is_standard_normal(runs: int) -> None:
    random = np.random.default_rng([72, runs])
    scores = np.array([find_drift(random.exponential(size=(100, runs))).z for _ in range(1500)])
    # E V = 2 and var V = 4 (R - 2) / ((R - 1)(R + 1)) hold for normal runs; a skewed law keeps the mean
    assert abs(scores.mean()) < 3 / np.sqrt(1500) * 1.2
    assert 0.8 < scores.std() < 1.2


def test_the_stronger_the_walk_the_larger_its_ratio() -> None:
    random = np.random.default_rng(73)
    white = random.normal(0, 1, (2000, 6))
    walk = np.cumsum(random.normal(0, 1, (2000, 6)), axis=1)
    found = [find_drift(white + strength * walk) for strength in (0.5, 1.0, 2.0)]
    assert all(drift.is_drifting for drift in found)
    assert found[0].walk < found[1].walk < found[2].walk
    assert found[1].walk == pytest.approx(walk_ratio(found[1].ratio, 6))


def test_rows_of_other_lengths_take_part() -> None:
    random = np.random.default_rng(74)
    walks = np.cumsum(random.normal(size=(60, 8)), axis=1)
    walks[:30, 5:] = np.nan
    assert find_drift(walks).is_drifting


def test_short_and_constant_rows_say_nothing() -> None:
    assert not find_drift(np.ones((10, 6))).is_drifting
    assert find_drift(np.arange(30.0).reshape(10, 3)).ratio == 2.0


def test_a_clear_trend_keeps_its_slope_and_noise_has_none() -> None:
    random = np.random.default_rng(77)
    table = 0.001 * random.standard_normal((200, 5))
    table[0] += 0.01 * np.arange(5)
    table[1] -= 0.01 * np.arange(5)
    slopes = clear_trends(table, np.full(200, 1e-10))
    # error of a slope .001 / sqrt(10); its far end lies t_{.95,3} = 2.35 errors beyond, both rough with 3 df
    assert slopes[:2] == pytest.approx([0.0107, -0.0107], abs=0.0025)
    assert abs(slopes[0]) > 0.0095
    # two-sided 2 % of 198: 4 expected, ten is four errors above
    assert np.count_nonzero(slopes[2:]) <= 12


def test_a_constant_baseline_and_three_runs_have_no_trend() -> None:
    assert clear_trends(np.ones((3, 5)), np.full(3, 1e-10)).tolist() == [0, 0, 0]
    assert clear_trends([[0.0, 0.1, 0.2]], [1e-10]).tolist() == [0]
