"""The shipped normal table against the standard library's inverse distribution."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from perfgate.npu.normal_table import KNOT_SCALE, normal_knots, normal_values


def test_inner_knots_are_the_inverse_distribution_rounded() -> None:
    knots = normal_knots()
    assert len(knots) == 4097
    wanted = [round(NormalDist().inv_cdf(j / 4096) * KNOT_SCALE) for j in range(1, 4096)]
    assert np.abs(knots[1:-1] - np.array(wanted)).max() <= 1  # the library's last digit


def test_the_table_is_symmetric_and_rises() -> None:
    knots = normal_knots()
    assert (knots == -knots[::-1]).all()
    assert (np.diff(knots) > 0).all()


def test_the_end_interval_has_the_mean_of_the_tail() -> None:
    # Mean of a normal below its 1/4096 quantile z: -pdf(z) * 4096.
    z = NormalDist().inv_cdf(1 / 4096)
    assert (normal_knots()[0] + normal_knots()[1]) / 2 / KNOT_SCALE == pytest.approx(
        -NormalDist().pdf(z) * 4096, abs=1e-6
    )


def test_words_map_to_the_ends_and_the_middle() -> None:
    words = np.array([0, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    low, middle, high = normal_values(words).tolist()
    assert low == normal_knots()[0] / KNOT_SCALE
    assert middle == 0.0
    assert high == pytest.approx(normal_knots()[-1] / KNOT_SCALE, abs=1e-6)


def test_evenly_spread_words_have_the_moments_of_a_normal() -> None:
    # 2^16 words, 16 in each interval: interpolation by straight lines widens the variance by less than 0.1 %.
    words = (np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)) + np.uint64(1 << 47)
    values = normal_values(words)
    assert values.mean() == pytest.approx(0.0, abs=1e-9)
    assert values.std() == pytest.approx(1.0, abs=1e-3)
