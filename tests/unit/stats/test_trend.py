"""Trends: a ramp is a finding, a cache that fills is not; the time to a limit by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as oracle

from perfgate.stats.trend import Slope, find_trend, least_squares, theil_sen, time_to_limit


def test_a_ramp_grows_at_its_slope() -> None:
    random = np.random.default_rng(91)
    trends = [find_trend(4.2 + 0.5 * np.arange(40) + random.normal(0, 0.3, 40)) for _ in range(200)]
    assert all(trend.is_growing for trend in trends)
    for slopes in ([trend.robust for trend in trends], [trend.least_squares for trend in trends]):
        covered = np.mean([slope.low <= 0.5 <= slope.high for slope in slopes])
        assert covered >= 0.95 - 4 * 0.0154  # four errors of 200 trials; Newey-West is slightly narrow


def test_a_cache_that_fills_and_levels_off_is_no_finding() -> None:
    random = np.random.default_rng(92)
    trend = find_trend(4 * (1 - np.exp(-np.arange(60) / 6)) + random.normal(0, 0.05, 60))
    assert trend.robust.low > 0  # both whole-series slopes say growth
    assert trend.least_squares.low > 0
    assert not trend.is_growing


@pytest.mark.parametrize("values", [np.ones(20), -np.arange(20.0), np.tile([1.0, 2.0], 10)])
def test_what_does_not_grow_is_no_finding(values: np.ndarray) -> None:
    assert not find_trend(values).is_growing


def test_unchanged_noise_rarely_grows() -> None:
    random = np.random.default_rng(93)
    grows = sum(find_trend(random.normal(size=40)).is_growing for _ in range(500))
    # three conditions at once; two of them alone are 2.5 % each
    assert grows / 500 <= 0.025


def test_theil_sen_agrees_with_scipy() -> None:
    random = np.random.default_rng(94)
    x, y = np.arange(25.0), random.normal(size=25) + 0.02 * np.arange(25)
    expected = oracle.theilslopes(y, x, 0.95)
    slope = theil_sen(x, y)
    assert slope.value == pytest.approx(expected.slope)
    # both take Sen's ranks, rounded outwards here: never narrower, at most a rank wider
    assert slope.low <= expected.low_slope
    assert slope.high >= expected.high_slope
    assert slope.high - slope.low < 1.2 * (expected.high_slope - expected.low_slope)


def test_one_outlier_does_not_move_the_robust_slope() -> None:
    y = 0.1 * np.arange(30.0)
    spoiled = y.copy()
    spoiled[20] = 500
    assert theil_sen(np.arange(30.0), spoiled).value == pytest.approx(0.1)
    assert least_squares(np.arange(30.0), spoiled).value > 0.5


def test_the_least_squares_interval_widens_under_autocorrelation() -> None:
    random = np.random.default_rng(95)
    noise = random.normal(size=200)
    related = np.convolve(noise, 0.8 ** np.arange(30))[:200]
    x = np.arange(200.0)
    slope = least_squares(x, related)
    plain = oracle.linregress(x, related)
    assert slope.value == pytest.approx(plain.slope)
    assert slope.high - slope.low > 1.5 * 2 * oracle.t.ppf(0.975, 198) * plain.stderr


def test_time_to_the_limit_of_the_leak() -> None:
    # STATISTICS section 11: (8 - 4.2) / .5 = 7.6 h
    reach = time_to_limit(4.2, 8.0, Slope(value=0.5, low=0.4, high=0.6))
    assert reach.expected == pytest.approx(7.6)
    assert reach.earliest == pytest.approx(3.8 / 0.6)
    assert reach.latest == pytest.approx(9.5)


def test_a_slope_that_may_be_zero_has_no_latest_time() -> None:
    assert math.isinf(time_to_limit(1.0, 2.0, Slope(value=0.1, low=-0.1, high=0.3)).latest)


def test_a_falling_series_never_reaches_the_limit() -> None:
    with pytest.raises(ValueError, match="does not grow"):
        time_to_limit(1.0, 2.0, Slope(value=-0.1, low=-0.2, high=0.0))


@pytest.mark.parametrize("times", [[0.0, 1, 2, 3, 4, 4], [5.0, 4, 3, 2, 1, 0], [0.0, 1, 2]])
def test_times_that_do_not_increase_raise(times: list[float]) -> None:
    with pytest.raises(ValueError, match="increasing"):
        find_trend(np.arange(6.0), times)
