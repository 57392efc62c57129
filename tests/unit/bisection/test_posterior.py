from __future__ import annotations

import math

import numpy as np
import pytest

from perfgate.bisection.posterior import Grid, log_likelihood, posterior
from perfgate.bisection.readings import Readings


def readings(means: list[float], *, spread: float, samples: float = 1.0) -> Readings:
    """One launch for each commit, at positions 0, 500, 1000 ..."""
    count = len(means)
    return Readings(
        positions=500 * np.arange(count),
        owner=np.arange(count),
        starts=np.arange(count),
        means=np.array(means),
        counts=np.full(count, samples),
        spread=spread,
    )


def known(good: float, bad: float, *, launch: float = 0.0, build: float = 0.0) -> Grid:
    """Levels and effects without doubt."""
    return Grid(
        good=np.array([good]),
        bad=np.array([bad]),
        launch=np.array([launch]),
        build=np.array([build]),
        log_prior=np.zeros((1, 1)),
    )


def test_worked_example_of_the_design() -> None:
    # Levels 0 and .05, SD of a launch .01, X_500 = .01: log ratio (.04^2 - .01^2) / (2 .01^2) = 7.5, so the
    # culprit is in (500, 1000] with 1 / (1 + e^-7.5) = .99945 without outliers. With 2 % of them, of SD
    # 3 x .01 + .05 = .08: f_good = .98 N(1) / .01 + .02 N(.125) / .08 = 23.713 + .099 = 23.812,
    # f_bad = .98 N(4) / .01 + .02 N(.5) / .08 = .01312 + .08802 = .10113; 23.812 / 23.913 = .99577.
    data = readings([0.0, 0.01, 0.05], spread=0.01 / math.sqrt(1.07))
    found = posterior(data, np.zeros(2), known(0.0, 0.05))
    assert found.segments[1] == pytest.approx(0.99577, abs=2e-5)


def test_worked_example_with_rare_outliers(monkeypatch: pytest.MonkeyPatch) -> None:
    # With 1e-5 of them the design's .99945 comes out:
    # f_bad = N(4) / .01 + 1e-5 N(.5) / .08 = .013383 + .000044 = .013427, f_good = 24.197: .999445
    monkeypatch.setattr("perfgate.bisection.posterior.LAUNCH_OUTLIERS", 1e-5)
    data = readings([0.0, 0.01, 0.05], spread=0.01 / math.sqrt(1.07))
    found = posterior(data, np.zeros(2), known(0.0, 0.05))
    assert found.segments[1] == pytest.approx(0.99945, abs=1e-5)


def test_prior_weights_count() -> None:
    # launches in the middle of the two levels say nothing: 3 : 1 stays
    data = readings([0.0, 0.025, 0.05], spread=0.01)
    found = posterior(data, np.log([3.0, 1.0]), known(0.0, 0.05))
    assert found.segments == pytest.approx([0.75, 0.25])
    assert found.bad() == pytest.approx([0.0, 0.75, 1.0])


def two_launches(first: float, second: float) -> Readings:
    """Two launches of one commit, v = 1e-4."""
    return Readings(
        positions=np.array([0]),
        owner=np.array([0, 0]),
        starts=np.array([0]),
        means=np.array([first, second]),
        counts=np.array([1.0, 1.0]),
        spread=0.01 / math.sqrt(1.07),
    )


def test_build_effect_is_the_density_of_correlated_launches() -> None:
    # covariance diag(v) + phi^2; x = (.01, .03), phi = .02; none of the launches is spoilt, or one of them,
    # with v = (3 x .01 + .05)^2
    x = np.array([0.01, 0.03])
    expected = 0.0
    for spoilt, share in (((0, 0), 0.98**2), ((0, 1), 0.98 * 0.02), ((1, 0), 0.98 * 0.02)):
        variance = np.where(np.array(spoilt) > 0, 0.08**2, 1e-4)
        covariance = np.diag(variance) + 4e-4
        density = math.exp(-0.5 * x @ np.linalg.solve(covariance, x))
        expected += share * density / math.sqrt(np.linalg.det(2 * np.pi * covariance))
    found = log_likelihood(two_launches(0.01, 0.03), np.array([0.0]), known(0.0, 0.05, build=0.02))
    # 1e-5: share of outliers
    assert found.item() == pytest.approx(math.log(expected), abs=1e-4)


def test_a_spoilt_launch_does_not_rule_the_build_effect_out() -> None:
    # one launch at the level, and one 15 % beside it: a hundred SD are no evidence against either explanation
    data, level = two_launches(0.0, 0.15), np.array([0.0])
    with_effect = log_likelihood(data, level, known(0.0, 0.05, build=0.005)).item()
    without = log_likelihood(data, level, known(0.0, 0.05)).item()
    assert with_effect == pytest.approx(without, abs=1.0)


def test_no_data_can_rule_a_segment_out_for_good() -> None:
    data = readings([0.0, 5.0, 0.05], spread=0.001)
    assert posterior(data, np.zeros(2), known(0.0, 0.05)).segments.min() > 0
