"""Test B: worked examples of STATISTICS section 4, and scipy as the independent oracle."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats as oracle

from perfgate.stats.mann_whitney import mann_whitney, smallest_p
from perfgate.stats.rank_laws import TABLE_LIMIT, untied_tail

SEPARATED_X = [1.00, 1.01, 1.02, 1.03, 1.04]
SEPARATED_Y = [1.06, 1.07, 1.08, 1.09, 1.10]


def only(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[float, float]:
    result = mann_whitney(x, y)
    return float(result.u[0]), float(result.p[0])


def enumerated(x: list[float], y: list[float]) -> float:
    """P(U' >= U) over all ways to choose which pooled values are y's."""
    pooled = np.array([*x, *y])

    def statistic(places: tuple[int, ...]) -> float:
        chosen = pooled[list(places)]
        rest = np.delete(pooled, list(places))
        above = (chosen[:, None] > rest).sum() + 0.5 * (chosen[:, None] == rest).sum()
        return float(above)

    observed = statistic(tuple(range(len(x), pooled.size)))
    values = [statistic(places) for places in combinations(range(pooled.size), len(y))]
    return float(np.mean([value >= observed for value in values]))


def test_five_separated_runs_reach_one_in_252() -> None:
    # STATISTICS section 4: U = 25, p = 1/252, the same after x 1.01
    for x in (np.array(SEPARATED_X), np.array(SEPARATED_X) * 1.01):
        assert only(x, SEPARATED_Y) == pytest.approx((25, 1 / 252), abs=1e-14)


def test_overlapping_sides_lose_their_significance_to_the_shift() -> None:
    x = np.array([10.0, 10.2, 10.1, 10.4, 10.3, 10.6])
    y = [10.5, 10.7, 10.35, 10.8]
    # STATISTICS section 4: U = 21, p = 1/30; after x 1.01: U = 18, p = .128571
    assert only(x, y) == pytest.approx((21, 1 / 30), abs=1e-14)
    assert only(x * 1.01, y) == pytest.approx((18, 0.128571), abs=5e-7)


def test_few_ties_take_the_exact_conditional_law() -> None:
    # STATISTICS section 4: U = 13, exact p = 1/7, where the normal law would say .0860
    u, p = only([1, 2, 2, 3], [2, 3, 3, 4])
    assert u == 13.0
    assert p == pytest.approx(1 / 7, abs=1e-15)
    assert p == pytest.approx(enumerated([1, 2, 2, 3], [2, 3, 3, 4]), abs=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_small_tied_rows_equal_full_enumeration(seed: int) -> None:
    random = np.random.default_rng([41, seed])
    x = random.integers(0, 4, 6).astype(float).tolist()
    y = random.integers(0, 5, 5).astype(float).tolist()
    expected = 1.0 if len({*x, *y}) == 1 else enumerated(x, y)
    assert only(x, y)[1] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (8, 3), (20, 20), (30, 30), (100, 20), (60, 100)])
def test_untied_rows_agree_with_scipy(n: int, m: int) -> None:
    random = np.random.default_rng([42, n, m])
    x, y = random.normal(size=(12, n)), random.normal(0.3, 1, (12, m))
    result = mann_whitney(x, y)
    for row in range(12):
        expected = oracle.mannwhitneyu(y[row], x[row], alternative="greater", method="exact")
        assert result.u[row] == expected.statistic
        assert result.p[row] == pytest.approx(expected.pvalue, abs=1e-12)


def test_large_tied_rows_agree_with_scipy() -> None:
    random = np.random.default_rng(43)
    x = random.integers(0, 12, (20, 40)).astype(float)
    y = random.integers(1, 13, (20, 30)).astype(float)
    result = mann_whitney(x, y)
    for row in range(20):
        expected = oracle.mannwhitneyu(
            y[row], x[row], alternative="greater", method="asymptotic", use_continuity=True
        )
        assert result.p[row] == pytest.approx(expected.pvalue, abs=1e-12)


def test_a_tie_in_one_row_changes_no_other_row() -> None:
    random = np.random.default_rng(44)
    x, y = random.normal(size=(6, 25)), random.normal(size=(6, 25))
    x[2, 3] = y[2, 4]
    batch = mann_whitney(x, y)
    alone = [mann_whitney(x[row], y[row]) for row in range(6)]
    assert batch.p.tolist() == [float(result.p[0]) for result in alone]
    assert batch.u.tolist() == [float(result.u[0]) for result in alone]


def test_equal_values_say_nothing() -> None:
    assert only([2.0] * 30, [2.0] * 30) == (450.0, 1.0)


def test_constant_but_different_values_reach_the_least_p() -> None:
    # the example of STATISTICS section 1: 78.8 five times against 82.0 five times
    assert only([78.8] * 5, [82.0] * 5) == pytest.approx((25, 1 / 252), abs=1e-14)


def test_five_against_five_can_never_pass_a_suite_of_a_hundred() -> None:
    # STATISTICS section 4: 5 v 5 gives .00397, 8 v 8 gives 7.8e-5
    assert smallest_p(5, 5) == pytest.approx(0.00397, abs=5e-6)
    assert smallest_p(8, 8) == pytest.approx(7.8e-5, abs=5e-7)


def test_rows_beyond_the_table_use_the_normal_law() -> None:
    random = np.random.default_rng(45)
    size = int(TABLE_LIMIT**0.5) + 1
    x, y = random.normal(size=size), random.normal(0.05, 1, size)
    expected = oracle.mannwhitneyu(y, x, alternative="greater", method="asymptotic", use_continuity=True)
    assert only(x, y)[1] == pytest.approx(expected.pvalue, abs=1e-12)


def test_nan_is_a_bug_and_raises() -> None:
    with pytest.raises(ValueError, match="NaN"):
        mann_whitney([1.0, float("nan")], [1.0, 2.0])


def test_an_empty_side_raises() -> None:
    with pytest.raises(ValueError, match="both sides"):
        mann_whitney(np.empty((1, 0)), [[1.0]])


def test_a_thousand_rows_make_one_table() -> None:
    untied_tail.cache_clear()
    random = np.random.default_rng(46)
    mann_whitney(random.normal(size=(1000, 30)), random.normal(size=(1000, 30)))
    assert untied_tail.cache_info().misses == 1
