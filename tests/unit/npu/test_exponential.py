"""The fixed polynomial against the C library, within the error it promises."""

from __future__ import annotations

import numpy as np
import pytest

from perfgate.npu.exponential import exponential


@pytest.mark.parametrize(("reach", "error"), [(1.0, 1e-11), (8.0, 1e-9)])
def test_the_polynomial_is_as_close_as_it_says(reach: float, error: float) -> None:
    values = np.linspace(-reach, reach, 20_001)
    assert np.abs(exponential(values) / np.exp(values) - 1).max() < error


def test_a_value_does_not_depend_on_its_neighbours() -> None:
    values = np.array([0.3, 5.0, -0.2, -7.5])
    assert exponential(values).tolist() == [exponential(values[i : i + 1])[0] for i in range(4)]


def test_zero_gives_exactly_one() -> None:
    assert exponential(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
