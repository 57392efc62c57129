"""Properties of single tests: monotone, free of order and unit, finite."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.stats.bootstrap import bootstrap_ratio
from perfgate.stats.holm import holm
from perfgate.stats.mann_whitney import mann_whitney
from perfgate.stats.moderated_t import Prior, moderate
from perfgate.stats.tail import tail_test

VALUES = st.lists(st.integers(1, 60).map(float) | st.floats(1.0, 60.0), min_size=3, max_size=30)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=40)
SOME = settings(max_examples=80, deadline=None)


@SOME
@given(x=VALUES, y=VALUES, shift=st.floats(0.0, 30.0))
def test_raising_samples_never_lowers_u(x: list[float], y: list[float], shift: float) -> None:
    before, after = mann_whitney(x, y), mann_whitney(x, np.array(y) + shift)
    assert after.u[0] >= before.u[0]
    assert 0 <= after.p[0] <= 1


@SOME
@given(x=VALUES, y=VALUES)
def test_both_directions_of_u_add_up(x: list[float], y: list[float]) -> None:
    assert mann_whitney(x, y).u[0] + mann_whitney(y, x).u[0] == len(x) * len(y)


@SOME
@given(x=VALUES, y=VALUES, power=st.integers(-20, 20))
def test_a_power_of_two_changes_no_rank(x: list[float], y: list[float], power: int) -> None:
    scale = 2.0**power
    assert mann_whitney(x, y).p[0] == mann_whitney(np.array(x) * scale, np.array(y) * scale).p[0]


@SOME
@given(p=PROBABILITIES)
def test_holm_keeps_the_order_and_only_raises(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= np.array(p) - 1e-15).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@SOME
@given(p=PROBABILITIES, place=st.integers(0, 39), lower=st.floats(0, 1))
def test_lowering_one_p_raises_no_other(p: list[float], place: int, lower: float) -> None:
    values = np.array(p)
    changed = values.copy()
    changed[place % values.size] *= lower
    assert (holm(changed) <= holm(values) + 1e-12).all()


@SOME
@given(
    variances=st.lists(st.floats(1e-10, 1.0), min_size=1, max_size=20),
    more=st.floats(1e-10, 1.0),
    df=st.floats(0, 50) | st.just(math.inf),
)
def test_with_the_prior_held_another_benchmark_changes_nothing(
    variances: list[float], more: float, df: float
) -> None:
    prior = Prior(df=df, variance=1e-4)
    alone = moderate(variances, np.full(len(variances), 4.0), prior)
    joined = moderate([*variances, more], np.full(len(variances) + 1, 4.0), prior)
    assert joined[:-1].tolist() == alone.tolist()


RUN = st.lists(st.floats(1e-6, 1e6) | st.sampled_from([1.0, 2.0]), min_size=5, max_size=8)
SIDE = st.lists(RUN, min_size=1, max_size=4)


@settings(max_examples=40, deadline=None)
@given(before=SIDE, after=SIDE)
def test_bootstrap_bounds_are_finite_and_in_order(
    before: list[list[float]], after: list[list[float]]
) -> None:
    result = bootstrap_ratio(before, after, resamples=199)
    for interval in (result.percentile, result.bca):
        assert math.isfinite(interval.low)
        assert interval.low <= interval.high


@SOME
@given(x=VALUES, y=VALUES, shift=st.floats(0.0, 30.0))
def test_raising_samples_never_lowers_the_tail_count(x: list[float], y: list[float], shift: float) -> None:
    before, after = tail_test(x, y, 0.9), tail_test(x, np.array(y) + shift, 0.9)
    assert after.k[0] >= before.k[0]
    assert after.p[0] <= before.p[0]
