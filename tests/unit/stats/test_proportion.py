from __future__ import annotations

import pytest
from scipy import stats as oracle

from perfgate.stats.proportion import clopper_pearson, share_error


def test_half_of_six_has_twenty_points_of_error() -> None:
    # STATISTICS section 11: p = .5, n = 6: .2041; 4 n halves it
    assert share_error(0.5, 6) == pytest.approx(0.2041, abs=5e-5)
    assert share_error(0.5, 24) == pytest.approx(share_error(0.5, 6) / 2)


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


@pytest.mark.parametrize(("share", "samples"), [(0.5, 0), (1.1, 5), (-0.1, 5)])
def test_what_is_no_share_raises(share: float, samples: int) -> None:
    with pytest.raises(ValueError, match="share"):
        share_error(share, samples)


def test_more_hits_than_trials_raise() -> None:
    with pytest.raises(ValueError, match="hits"):
        clopper_pearson(3, 2)
