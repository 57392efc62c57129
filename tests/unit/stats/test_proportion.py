from __future__ import annotations

import pytest
from scipy import stats as oracle

from perfgate.stats.proportion import clopper_pearson


def test_clopper_pearson_of_no_hits() -> None:
    # STATISTICS section 13: 0 of 20: 0-16.8 %; 0 of 60: 0-6.0 %
    assert clopper_pearson(0, 20).high == pytest.approx(0.168, abs=5e-4)
    assert clopper_pearson(0, 60).high == pytest.approx(0.060, abs=5e-4)
    assert clopper_pearson(0, 20).low == 0
    assert clopper_pearson(20, 20).high == 1


@pytest.mark.parametrize(("hits", "trials"), [(1, 10), (7, 20), (28, 400), (399, 400)])
def test_clopper_pearson_agrees_with_scipy(hits: int, trials: int) -> None:
    expected = oracle.binomtest(hits, trials).proportion_ci(method="exact")
    interval = clopper_pearson(hits, trials)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_more_hits_than_trials_raise() -> None:
    with pytest.raises(ValueError, match="hits"):
        clopper_pearson(3, 2)
