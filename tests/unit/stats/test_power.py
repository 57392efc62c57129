"""Equivalence, detectable effect and planning, by the formulas of STATISTICS section 5."""

from __future__ import annotations

import math

import pytest
from scipy import stats as oracle

from perfgate.stats.power import (
    Margins,
    Precision,
    detectable_effect,
    detection_factor,
    further_runs,
    is_equivalent,
)

MARGINS = Margins(min_effect=0.01, equivalence=0.03, alpha=0.05, family=100)


def test_factors_of_the_design() -> None:
    # STATISTICS section 5: 4.572 se for m = 100, 3.920 for 12
    assert detection_factor(0.05, 100) == pytest.approx(4.572, abs=5e-4)
    assert detection_factor(0.05, 12) == pytest.approx(3.920, abs=5e-4)


def test_detectable_effect_is_a_relative_change() -> None:
    assert detectable_effect(0.01, 0.05, 100) == pytest.approx(math.expm1(0.04572), abs=1e-6)


def test_equivalence_needs_the_whole_interval_inside() -> None:
    limit = math.log(1.03)
    assert is_equivalent(0.01, limit - 0.0101, 0.03)
    assert not is_equivalent(0.01, limit - 0.0099, 0.03)
    assert not is_equivalent(-0.02, limit - 0.0099, 0.03)


def test_error_follows_from_runs() -> None:
    precision = Precision(difference=0.0, variance=1e-4, prior_df=4, runs=5, new_runs=1)
    assert precision.error(5, 3) == pytest.approx(0.01 * math.sqrt(1 / 5 + 1 / 3))
    expected = oracle.t.ppf(0.95, 10) * 0.01 * math.sqrt(1 / 5 + 1 / 3)
    assert precision.half_width(5, 3) == pytest.approx(expected)


def test_further_runs_are_the_fewest_that_show_equivalence() -> None:
    precision = Precision(difference=0.002, variance=2e-4, prior_df=4, runs=5, new_runs=1)
    more, baseline = further_runs(precision, MARGINS)
    assert baseline is None
    assert more is not None
    limit = math.log(1.03) - 0.002
    assert precision.half_width(5, 1 + more) < limit <= precision.half_width(5, more)


def test_when_candidate_runs_cannot_help_baseline_runs_are_named() -> None:
    # se(5, inf) = .0268 > .0296 / 1.73: no number of candidate runs shows equivalence
    precision = Precision(difference=0.0, variance=36e-4, prior_df=20, runs=5, new_runs=3)
    more, baseline = further_runs(precision, MARGINS)
    assert more is None
    assert baseline is not None
    limit = math.log(1.03)
    assert precision.half_width(5 + baseline, 20) < limit <= precision.half_width(4 + baseline, 20)


def test_hopeless_noise_has_no_plan() -> None:
    precision = Precision(difference=0.0, variance=1.0, prior_df=20, runs=5, new_runs=3)
    assert further_runs(precision, MARGINS) == (None, None)


def test_a_clear_change_is_settled_by_being_larger_than_the_smallest_effect() -> None:
    precision = Precision(difference=0.08, variance=1e-4, prior_df=20, runs=5, new_runs=1)
    # z_{.9995} .01 sqrt(1/5 + 1) = .0360 < .08 - log 1.01
    assert further_runs(precision, MARGINS) == (0, None)


def test_drift_makes_runs_worth_less() -> None:
    calm = Precision(difference=0.0, variance=1e-4, prior_df=4, runs=5, new_runs=3)
    drifting = Precision(difference=0.0, variance=1e-4, prior_df=4, runs=5, new_runs=3, walk=1.78)
    # STATISTICS section 6: lambda = 3.9488
    assert drifting.error(5, 3) == pytest.approx(calm.error(5, 3) * math.sqrt(3.9488), rel=1e-5)
