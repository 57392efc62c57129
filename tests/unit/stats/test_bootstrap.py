"""Bootstrap intervals against a naive resampler and scipy's BCa; degenerate data give finite intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as oracle

from perfgate.stats.bootstrap import bootstrap_ratio, bootstrap_rows
from perfgate.stats.order_draws import sample_draws

RESAMPLES = 9_999


def log_ratio(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.asarray(np.log(np.median(y, axis=axis) / np.median(x, axis=axis)))


def naive(x: np.ndarray, y: np.ndarray, random: np.random.Generator, count: int) -> np.ndarray:
    return log_ratio(random.choice(x, (count, x.size)), random.choice(y, (count, y.size)))


def quantile_error(draws: np.ndarray, probability: float) -> float:
    """Monte Carlo error of a bootstrap quantile: half the distance of its own 68 % order bounds."""
    reach = math.sqrt(probability * (1 - probability) / draws.size)
    low, high = np.quantile(draws, [probability - reach, probability + reach])
    return float(high - low) / 2


@pytest.mark.parametrize(("n", "m"), [(30, 30), (31, 25), (20, 41)])
def test_percentile_interval_agrees_with_a_naive_resampler(n: int, m: int) -> None:
    random = np.random.default_rng([61, n, m])
    x, y = random.lognormal(0, 0.05, n), random.lognormal(0.03, 0.05, m)
    draws = naive(x, y, random, 40_000)
    low, high = bootstrap_rows(x, y)[0, :2]
    for bound, probability in ((low, 0.025), (high, 0.975)):
        # three errors of the difference of two independent Monte Carlo quantiles
        error = quantile_error(draws, probability) * math.sqrt(1 + draws.size / RESAMPLES)
        assert abs(bound - np.quantile(draws, probability)) <= 3 * error + 1e-4


@pytest.mark.parametrize(("n", "m"), [(30, 30), (41, 25)])
def test_bca_agrees_with_scipy_on_untied_data(n: int, m: int) -> None:
    random = np.random.default_rng([62, n, m])
    x, y = random.lognormal(0, 0.05, n), random.lognormal(0.05, 0.08, m)
    expected = oracle.bootstrap(
        (x, y), log_ratio, n_resamples=30_000, method="BCa", vectorized=True, rng=random
    )
    low, high = bootstrap_rows(x, y, resamples=30_000)[0, 2:]
    draws = naive(x, y, random, 30_000)
    for bound, other in ((low, expected.confidence_interval.low), (high, expected.confidence_interval.high)):
        place = float((draws < other).mean())
        # three errors of each of the two Monte Carlo results
        assert abs(bound - other) <= 3 * math.sqrt(2) * quantile_error(draws, place) + 1e-4


def test_runs_are_drawn_as_well_as_samples() -> None:
    random = np.random.default_rng(63)
    runs = [random.lognormal(shift, 0.001, 20) for shift in (0.0, 0.05, -0.05, 0.02)]
    other = [random.lognormal(shift, 0.001, 20) for shift in (0.01, -0.03, 0.04)]
    over_runs = bootstrap_ratio(runs, other)
    over_samples = bootstrap_rows(np.concatenate(runs), np.concatenate(other))[0]
    assert over_runs.over_runs
    # drawn means of runs whose medians spread by s over R runs have spread s / sqrt(R), by hand
    spread = math.hypot(np.std([0, 0.05, -0.05, 0.02]) / 2, np.std([0.01, -0.03, 0.04]) / math.sqrt(3))
    assert over_runs.percentile.high - over_runs.percentile.low == pytest.approx(2 * 1.96 * spread, rel=0.15)
    # what samples alone would say is several times too narrow
    assert over_samples[1] - over_samples[0] < (over_runs.percentile.high - over_runs.percentile.low) / 2


def test_fewer_than_three_runs_see_within_run_noise_only() -> None:
    result = bootstrap_ratio([[1.0, 1.1, 1.2, 1.3, 1.4]] * 5, [[1.0, 1.1, 1.2, 1.3, 1.4]] * 2)
    assert not result.over_runs


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([[2.0] * 5] * 3, [[2.0] * 5] * 3),
        ([[2.0] * 5] * 3, [[3.0] * 5] * 4),
        ([[2.0] * 5], [[3.0] * 6]),
        ([[1.0, 1.0, 2.0, 2.0, 2.0]] * 4, [[1.0, 2.0, 2.0, 2.0, 2.0]] * 3),
    ],
)
def test_tied_and_constant_data_give_finite_intervals(
    before: list[list[float]], after: list[list[float]]
) -> None:
    result = bootstrap_ratio(before, after)
    bounds = (result.percentile.low, result.percentile.high, result.bca.low, result.bca.high)
    assert all(math.isfinite(bound) for bound in bounds)
    assert result.percentile.low <= result.percentile.high
    assert result.bca.low <= result.bca.high


def test_all_equal_is_the_point() -> None:
    result = bootstrap_ratio([[2.0] * 5] * 3, [[3.0] * 5] * 3)
    # the log of 3 / 2
    assert result.percentile.low == pytest.approx(math.log(1.5), abs=1e-11)
    assert result.bca.high == pytest.approx(math.log(1.5), abs=1e-11)


def test_results_depend_on_the_seed_and_not_on_the_company() -> None:
    random = np.random.default_rng(64)
    x, y = random.lognormal(0, 0.1, (5, 20)), random.lognormal(0, 0.1, (5, 20))
    together = bootstrap_rows(x, y, seed=3)
    assert bootstrap_rows(x[2], y[2], seed=3)[0].tolist() == together[2].tolist()
    assert bootstrap_rows(x[2], y[2], seed=4)[0].tolist() != together[2].tolist()


def test_uneven_runs_are_drawn_at_their_own_size() -> None:
    random = np.random.default_rng(65)
    before = [random.lognormal(0, 0.05, size) for size in (5, 8, 20)]
    after = [random.lognormal(0.1, 0.05, size) for size in (6, 7, 30, 5)]
    result = bootstrap_ratio(before, after)
    pools = [
        [np.log(np.median(random.choice(run, (20_000, run.size)), axis=1)) for run in side]
        for side in (before, after)
    ]
    draws = [
        np.mean(
            [np.stack(pool)[random.integers(len(pool), size=20_000), np.arange(20_000)] for _ in pool], axis=0
        )
        for pool in pools
    ]
    expected = np.std(draws[1] - draws[0])
    width = result.percentile.high - result.percentile.low
    # a naive two-level resampler; draws of one run share their resample, hence the loose bound
    assert width == pytest.approx(2 * 1.96 * expected, rel=0.2)


def test_a_thousand_comparisons_draw_once_per_side() -> None:
    sample_draws.cache_clear()
    random = np.random.default_rng(66)
    bootstrap_rows(random.lognormal(size=(200, 30)), random.lognormal(size=(200, 30)), resamples=99)
    assert sample_draws.cache_info().misses == 2
