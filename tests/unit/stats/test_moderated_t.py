"""Test A: the worked example of STATISTICS section 3, scipy's t law, and the guards of the prior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special
from scipy import stats as oracle

from perfgate.stats.laws import t_quantile, t_tail
from perfgate.stats.moderated_t import (
    VARIANCE_FLOOR,
    Prior,
    RunTest,
    fit_prior,
    inverse_trigamma,
    moderate,
    pair_test,
    two_sample_error,
    variance_floor,
)

RUNS: list[list[float]] = [
    [100, 101, 99, 100, 100],
    [50, 50.5, 49.5, 50.2, 49.8],
    [20, 20.1, 19.9, 20, 20],
    [10, 10.4, 9.6, 10.1, 9.9],
]
BASELINE = np.log(RUNS)
CANDIDATE = np.log([106, 50.1, 20.05, 10.2])


def worked_example() -> tuple[np.ndarray, Prior, RunTest]:
    variances = BASELINE.var(axis=1, ddof=1)
    prior = fit_prior(variances, np.full(4, 4), min_benchmarks=2)  # forced on for four benchmarks
    variance = moderate(variances, np.full(4, 4), prior)
    test = RunTest(
        difference=CANDIDATE - BASELINE.mean(axis=1),
        error=two_sample_error(variance, 5, 1),
        df=np.full(4, prior.df + 4),
        variance=variance,
    )
    return variances, prior, test


def test_worked_example_of_the_design() -> None:
    variances, prior, test = worked_example()
    # STATISTICS section 3, all figures
    assert variances == pytest.approx([5.000e-5, 5.800e-5, 1.250e-5, 85.10e-5], rel=2e-4)
    assert prior.df == pytest.approx(1.5284, abs=5e-5)
    assert prior.variance == pytest.approx(4.4710e-5, rel=2e-5)
    assert test.statistic == pytest.approx([7.5248, 0.2423, 0.4936, 0.6303], abs=5e-5)
    assert test.worse() == pytest.approx([2.0896e-4, 0.40865, 0.32027, 0.27681], rel=2e-5)


def test_both_directions_share_one_probability() -> None:
    _, _, test = worked_example()
    assert test.worse() + test.better() == pytest.approx(np.ones(4), abs=1e-12)


def test_prior_never_shrinks_a_noisy_benchmark() -> None:
    own = np.array([1e-6, 1e-4, 1e-2])
    drawn = moderate(own, np.full(3, 4), Prior(df=8, variance=1e-4))
    assert (drawn >= own).all()
    assert drawn[2] == own[2]
    assert (moderate(own, np.full(3, 4), Prior(df=math.inf, variance=1e-4)) >= own).all()


def test_without_a_prior_each_benchmark_stands_alone() -> None:
    assert fit_prior([1e-4] * 4, [4] * 4) == Prior()
    assert moderate([1e-4, 2e-4], [4, 4], Prior()).tolist() == [1e-4, 2e-4]


def test_equal_variances_give_an_infinite_prior() -> None:
    prior = fit_prior([1e-4] * 20, [4] * 20)
    assert math.isinf(prior.df)
    # one log variance for all: s0^2 = s^2 exp(log(g/2) - digamma(g/2)), g = 4
    assert prior.variance == pytest.approx(1e-4 * math.exp(math.log(2) - special.digamma(2)), rel=1e-12)


def test_prior_recovers_the_scatter_it_was_drawn_with() -> None:
    random = np.random.default_rng(51)
    df, scale = 6.0, 4e-5
    true = scale * df / random.chisquare(df, 4000)
    observed = true * random.chisquare(4, 4000) / 4
    prior = fit_prior(observed, np.full(4000, 4))
    assert prior.df == pytest.approx(df, rel=0.15)  # 4,000 benchmarks: about 5 % standard error
    assert prior.variance == pytest.approx(scale, rel=0.08)


@pytest.mark.parametrize("value", [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e4])
def test_inverse_trigamma_inverts(value: float) -> None:
    assert float(special.polygamma(1, inverse_trigamma(value))) == pytest.approx(value, rel=1e-10)


def test_t_tails_and_quantiles_agree_with_scipy() -> None:
    statistics = np.array([-3.0, 0.0, 0.7, 2.0, 5.0, 12.0])
    for df in (1.0, 3.5, 8.0, 120.0):
        assert t_tail(statistics, df) == pytest.approx(oracle.t.sf(statistics, df), rel=1e-10)
        assert float(t_quantile(0.975, df)) == pytest.approx(oracle.t.ppf(0.975, df), rel=1e-10)
    assert t_tail(statistics, math.inf) == pytest.approx(oracle.norm.sf(statistics), rel=1e-10)
    assert float(t_quantile(0.95, math.inf)) == pytest.approx(oracle.norm.ppf(0.95), rel=1e-10)


def test_a_nan_statistic_raises_and_never_becomes_a_p_value() -> None:
    with pytest.raises(ValueError, match="NaN"):
        t_tail([1.0, float("nan")], 4)


def test_variance_floor_is_the_clocks_rounding_error() -> None:
    # a step of 1 us on 1 ms: uniform rounding has variance step^2 / 12
    assert float(variance_floor(1e-6, 1e-3)) == pytest.approx(1e-6 / 12)
    assert float(variance_floor(0.0, 1.0)) == VARIANCE_FLOOR


def test_pairs_agree_with_scipys_one_sample_test() -> None:
    random = np.random.default_rng(52)
    differences = random.normal(0.01, 0.02, (4, 7))
    test = pair_test(differences, Prior(), np.full(4, VARIANCE_FLOOR))
    expected = [oracle.ttest_1samp(row, 0, alternative="greater").pvalue for row in differences]
    assert test.worse() == pytest.approx(expected, rel=1e-10)


def test_two_samples_without_prior_agree_with_scipys_pooled_test() -> None:
    random = np.random.default_rng(53)
    before, after = random.normal(size=5), random.normal(0.5, 1, 3)
    squares = ((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum()
    variance = np.array([squares / 6])
    test = RunTest(
        difference=np.array([after.mean() - before.mean()]),
        error=two_sample_error(variance, 5, 3),
        df=np.array([6.0]),
        variance=variance,
    )
    expected = oracle.ttest_ind(after, before, alternative="greater").pvalue
    assert test.worse() == pytest.approx([expected], rel=1e-10)
