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
    data = readings([0.0, 0.01, 0.05], spread=0.01 / math.sqrt(1.1))
    found = posterior(data, np.zeros(2), known(0.0, 0.05))
    assert found.segments[1] == pytest.approx(0.99577, abs=2e-5)


def test_worked_example_with_rare_outliers() -> None:
    # A build effect of next to nothing has outliers of 1e-5 only, and the design's .99945 comes out:
    # f_bad = N(4) / .01 + 1e-5 N(.5) / .08 = .013383 + .000044 = .013427, f_good = 24.197: .999445
    data = readings([0.0, 0.01, 0.05], spread=0.01 / math.sqrt(1.1))
    found = posterior(data, np.zeros(2), known(0.0, 0.05, build=1e-9))
    assert found.segments[1] == pytest.approx(0.99945, abs=1e-5)


def test_prior_weights_count() -> None:
    # launches in the middle of the two levels say nothing: 3 : 1 stays
    data = readings([0.0, 0.025, 0.05], spread=0.01)
    found = posterior(data, np.log([3.0, 1.0]), known(0.0, 0.05))
    assert found.segments == pytest.approx([0.75, 0.25])
    assert found.bad() == pytest.approx([0.0, 0.75, 1.0])


def test_build_effect_is_the_density_of_correlated_launches() -> None:
    # two launches of one commit: covariance v I + phi^2; x = (.01, .03), v = 1e-4 x 1.1, phi = .02
    data = Readings(
        positions=np.array([0]),
        owner=np.array([0, 0]),
        starts=np.array([0]),
        means=np.array([0.01, 0.03]),
        counts=np.array([1.0, 1.0]),
        spread=0.01,
    )
    covariance = 1.1e-4 * np.eye(2) + 4e-4
    x = data.means
    expected = -0.5 * x @ np.linalg.solve(covariance, x) - 0.5 * math.log(
        np.linalg.det(2 * np.pi * covariance)
    )
    found = log_likelihood(data, np.array([0.0]), known(0.0, 0.05, build=0.02))
    # 1e-5: share of outliers
    assert found.item() == pytest.approx(float(expected), abs=1e-4)


def test_no_data_can_rule_a_segment_out_for_good() -> None:
    data = readings([0.0, 5.0, 0.05], spread=0.001)
    assert posterior(data, np.zeros(2), known(0.0, 0.05)).segments.min() > 0
