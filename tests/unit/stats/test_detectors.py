"""Detectors: known alarms, and the false-alarm rates that their descriptions state."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perfgate.stats.detectors import (
    Detector,
    ErrorRateDetector,
    LowPercentileDetector,
    MadDetector,
    SigmaDetector,
    measure_false_alarms,
)

DETECTORS: tuple[Detector, ...] = (
    SigmaDetector(),
    MadDetector(),
    LowPercentileDetector(),
    ErrorRateDetector(trials=100),
)


def test_threshold_is_mean_plus_three_sigma() -> None:
    history = [9.0, 10.0, 11.0, 10.0, 10.0, 10.0]  # mean 10, sigma sqrt(2 / 5) = .632
    limit = 10 + 3 * math.sqrt(0.4)
    assert SigmaDetector().judge([*history, limit + 0.01]).is_alarm
    assert not SigmaDetector().judge([*history, limit - 0.01]).is_alarm


def test_an_old_outlier_hides_a_new_one_from_sigma_but_not_from_mad() -> None:
    series = [10.0, 10.1, 9.9, 10.0, 10.1, 9.9, 60.0, 10.0, 40.0]
    assert not SigmaDetector().judge(series).is_alarm
    assert MadDetector().judge(series).is_alarm


def test_throughput_below_its_tenth_percentile_alarms() -> None:
    history = list(range(100, 200))
    assert LowPercentileDetector().judge([*history, 105.0]).is_alarm  # P10 of 100..199 is 109.9
    assert not LowPercentileDetector().judge([*history, 112.0]).is_alarm


def test_an_error_burst_alarms_and_a_usual_count_does_not() -> None:
    history = [2.0, 3.0, 1.0, 2.0, 2.0, 3.0, 1.0]
    detector = ErrorRateDetector(trials=1000)
    assert detector.judge([*history, 14.0]).is_alarm  # usual 2: P(14 or more) is 1e-8
    assert not detector.judge([*history, 5.0]).is_alarm
    assert detector.judge([*history, 0.0]).p == 1.0


# rates of the descriptions, with the 99.9 % upper binomial bound for 1,500 series
@pytest.mark.parametrize(
    ("detector", "shape", "most"),
    [
        (SigmaDetector(), "normal", 0.008),
        (SigmaDetector(), "skewed", 0.025),
        (MadDetector(), "normal", 0.010),
        (MadDetector(), "skewed", 0.060),
        (LowPercentileDetector(), "normal", 0.137),
    ],
)
def test_false_alarms_are_as_rare_as_described(detector: Detector, shape: str, most: float) -> None:
    random = np.random.default_rng(96)
    draw = {"normal": lambda: 10 + random.normal(size=100), "skewed": lambda: random.lognormal(0, 0.5, 100)}
    alarms, judged = measure_false_alarms(detector, (draw[shape]() for _ in range(1500)))
    assert judged == 1500
    assert 0 < alarms / judged <= most


def test_independent_errors_alarm_under_the_level() -> None:
    random = np.random.default_rng(97)
    series = (random.binomial(1000, 0.01, 50) for _ in range(3000))
    alarms, judged = measure_false_alarms(ErrorRateDetector(trials=1000), series)
    assert alarms / judged <= 0.003  # .001 with the 99.9 % upper bound of 3,000 trials


@pytest.mark.parametrize("detector", DETECTORS)
def test_a_short_or_broken_series_raises(detector: Detector) -> None:
    with pytest.raises(ValueError, match="six finite"):
        detector.judge([1.0, 2.0])
    with pytest.raises(ValueError, match="six finite"):
        detector.judge([1.0, 2.0, 3.0, 4.0, 5.0, float("nan")])


@pytest.mark.parametrize("detector", DETECTORS[:2])
def test_a_constant_history_makes_any_rise_an_alarm(detector: Detector) -> None:
    assert detector.judge([5.0] * 6 + [5.1]).is_alarm
    assert not detector.judge([5.0] * 7).is_alarm
