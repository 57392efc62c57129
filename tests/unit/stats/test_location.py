from __future__ import annotations

import numpy as np
import pytest

from perfgate.stats.location import count_up, linear_quantile, own_percentile
from perfgate.stats.run_samples import Statistic, by_count, lay_out


def test_p25_of_four_values() -> None:
    # STATISTICS section 2: p25 of 4, 1, 3, 2 is 1.75
    assert linear_quantile(np.sort([4.0, 1.0, 3.0, 2.0]), 0.25).tolist() == [1.75]


@pytest.mark.parametrize("count", [1, 2, 5, 20, 33])
@pytest.mark.parametrize("probability", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_linear_quantile_is_numpys_default(count: int, probability: float) -> None:
    values = np.sort(np.random.default_rng(count).normal(size=count))
    expected = np.quantile(values, probability)
    assert linear_quantile(values, probability)[0] == pytest.approx(expected, abs=1e-12)


def test_own_percentile_is_one_of_the_values() -> None:
    values = np.arange(1.0, 101.0)
    assert own_percentile(values, 0.99).tolist() == [99.0]
    assert own_percentile(values, 0.991).tolist() == [100.0]
    assert own_percentile(values[:20], 0.99).tolist() == [20.0]


def test_counts_forgive_binary_arithmetic() -> None:
    # in binary (1 - .99) * 2000 comes out as 20.000000000000018
    assert count_up((1 - 0.99) * 2000) == 20
    assert count_up(20.01) == 21


def test_runs_of_all_sizes_are_located_at_once() -> None:
    cases = [[[4.0, 1, 3, 2], [1.0, 2, 3, 4, 5]], [[8.0, 8, 8, 8]]]
    samples = lay_out(cases, [1, 1])
    table = samples.locations([Statistic(0.25), Statistic(1.0, is_interpolated=False)])
    assert table[0].tolist() == pytest.approx([np.log(1.75), np.log(2.0)])
    assert table[1, 0] == pytest.approx(np.log(8))
    assert np.isnan(table[1, 1])
    assert [places.tolist() for places, _ in by_count(table)] == [[1], [0]]


def test_higher_is_better_becomes_a_cost() -> None:
    samples = lay_out([[[10.0, 20.0]], [[10.0, 20.0]]], [1, -1])
    assert samples.costs.tolist() == [10.0, 20.0, 0.1, 0.05]
    assert [run.tolist() for run in samples.runs_of(1)] == [[0.1, 0.05]]
