from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as oracle

from perfgate.stats.common_mode import (
    compare_paired_shifts,
    compare_shifts,
    fill_shifts,
    run_shifts,
)


def test_the_shift_of_a_run_is_the_median_over_benchmarks() -> None:
    table = np.zeros((9, 2))
    table[:, 1] = [0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.9, -0.9]
    assert run_shifts(table, np.zeros(9)).tolist() == [0.0, 0.03]


def test_fewer_than_eight_benchmarks_have_no_common_mode() -> None:
    assert np.isnan(run_shifts(np.zeros((7, 2)), np.zeros(7))).all()


def test_suspects_are_left_out_while_enough_others_remain() -> None:
    table = np.zeros((20, 1))
    table[:12, 0] = 0.1
    is_calm = np.arange(20) >= 12
    assert run_shifts(table, np.zeros(20), is_calm).tolist() == [0.0]
    assert run_shifts(table[:15], np.zeros(15), is_calm[:15]).tolist() == [0.1]


def test_unknown_shifts_take_the_median_of_the_known() -> None:
    assert fill_shifts(np.array([0.1, np.nan, 0.3])).tolist() == [0.1, 0.2, 0.3]
    assert fill_shifts(np.array([np.nan, np.nan])).tolist() == [0.0, 0.0]


def test_alternating_runs_give_the_plain_t_test() -> None:
    before, after = np.array([0.01, -0.012, 0.008, -0.01, 0.004]), np.array([0.05, 0.06])
    result = compare_shifts(before, after)
    assert result is not None
    walking = np.mean(np.diff(before) ** 2) * (1 + 4 * 9 / 30 + 1 * 3 / 12)
    exchangeable = before.var(ddof=1) * (1 / 5 + 1 / 2)
    # the larger of both errors, STATISTICS section 2 and docs/MATH.md
    statistic = (after.mean() - before.mean()) / math.sqrt(max(walking, exchangeable))
    assert result.p_worse == pytest.approx(oracle.t.sf(statistic, 4), rel=1e-10)
    assert result.p_worse + result.p_better == pytest.approx(1.0)


def test_a_drifting_host_is_not_called_a_regression() -> None:
    random = np.random.default_rng(76)
    hits = 0
    for _ in range(2000):
        walk = np.cumsum(random.normal(0, 0.03, 10))
        result = compare_shifts(walk[:5], walk[5:])
        assert result is not None
        hits += result.p_worse <= 0.01 and result.shift > math.log(1.03)
    assert hits / 2000 <= 0.05  # the plain t test of section 2 alone would say so in 14 %


def test_one_baseline_run_cannot_judge_a_shift() -> None:
    assert compare_shifts([0.0], [0.1]) is None
    assert compare_shifts([0.0, 0.1], []) is None


def test_constant_shifts_are_decided_by_the_variance_floor() -> None:
    result = compare_shifts([0.0, 0.0, 0.0, 0.0, 0.0], [0.05])
    assert result is not None
    assert result.p_worse < 1e-6


def test_pairs_are_a_one_sample_test() -> None:
    differences = np.array([0.01, 0.03, 0.02, 0.015, 0.05])
    result = compare_paired_shifts(differences)
    assert result is not None
    expected = oracle.ttest_1samp(differences, 0, alternative="greater").pvalue
    assert result.p_worse == pytest.approx(expected, rel=1e-10)
    assert compare_paired_shifts([0.1]) is None
