"""Percentiles: worked figures of STATISTICS section 8, scipy's hypergeometric law as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as oracle

from perfgate.stats.tail import (
    MIN_TAIL,
    hypergeometric_tail,
    order_interval,
    order_ranks,
    samples_needed,
    smallest_tail_p,
    tail_size,
    tail_test,
)


def test_worked_figures_for_a_thousand_samples_a_side() -> None:
    # STATISTICS section 8: r = 20; k = 20: 8.664e-7; k = 18: 1.8925e-4
    assert tail_size(2000, 0.99) == 20
    law = hypergeometric_tail(1000, 1000, 20)
    assert law[20] == pytest.approx(8.664e-7, rel=1e-4)
    assert law[18] == pytest.approx(1.8925e-4, rel=1e-4)


def test_three_hundred_a_side_are_useless_in_a_suite() -> None:
    # STATISTICS section 8: 6 of 6 gives .015
    assert tail_size(600, 0.99) == 6
    assert smallest_tail_p(300, 300, 0.99) == pytest.approx(0.015, abs=5e-4)


def test_p99_needs_550_samples_per_side() -> None:
    assert samples_needed(0.99) == 550
    assert tail_size(2 * 550, 0.99) == MIN_TAIL
    assert samples_needed(0.95) == 110  # 11 / (2 x .05)


@pytest.mark.parametrize(("n", "m", "size"), [(10, 7, 5), (100, 60, 8), (1000, 600, 16), (5, 200, 11)])
def test_tails_agree_with_scipy(n: int, m: int, size: int) -> None:
    k = np.arange(size + 1)
    expected = oracle.hypergeom.sf(k - 1, n + m, m, size)
    assert hypergeometric_tail(n, m, size) == pytest.approx(expected, rel=1e-10, abs=1e-15)


def test_the_count_is_taken_above_the_edge() -> None:
    x = np.arange(1.0, 101.0)
    y = np.arange(0.5, 100.5)
    y[:5] += 1000
    result = tail_test(x, y, 0.95)
    # the 10 largest of 200: five moved y, then 100, 99.5, 99, 98.5, 98: three of x and two of y
    assert result.size == 10
    assert result.k.tolist() == [7]
    assert float(result.p[0]) == pytest.approx(oracle.hypergeom.sf(6, 200, 100, 10), rel=1e-10)


def test_ties_at_the_edge_count_for_the_baseline() -> None:
    x, y = np.full(100, 1.0), np.full(100, 1.0)
    assert tail_test(x, y, 0.95).k.tolist() == [0]
    y[:4] = 2.0
    # four of y lie above; the other six of the ten largest are ties, all given to x
    assert tail_test(x, y, 0.95).k.tolist() == [4]


def test_ranks_of_the_shown_interval() -> None:
    # STATISTICS section 8
    assert order_ranks(100, 0.5) == (40, 61)
    assert order_ranks(1000, 0.99) == (983, 997)
    assert order_ranks(367, 0.99)[1] is None
    assert order_ranks(368, 0.99)[1] == 368
    assert order_ranks(71, 0.95)[1] is None
    assert order_ranks(72, 0.95)[1] == 72


def test_order_interval_covers_the_percentile_as_often_as_it_says() -> None:
    random = np.random.default_rng(71)
    truth = oracle.norm.ppf(0.95)
    samples = np.sort(random.normal(size=(2000, 200)), axis=1)
    hits = 0
    for row in samples:
        interval = order_interval(row, 0.95)
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low <= truth <= interval.high
    assert hits / 2000 >= 0.95 - 3 * 0.005  # at least 95 %, three Monte Carlo errors


def test_few_samples_have_no_upper_bound() -> None:
    interval = order_interval(np.arange(50.0), 0.99)
    assert interval.high is None
    assert interval.low is not None
