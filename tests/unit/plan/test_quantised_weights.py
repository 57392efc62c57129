"""Symmetric int8 of weights: scale = largest magnitude / 127, and no value is off by more than half of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from perfgate.plan.quantised_weights import quantise_weights


def test_a_small_tensor_by_hand() -> None:
    # scale = 1.27 / 127 = .01; .004 rounds to 0 (off by .004), .016 to .02 (off by .004), 1.27 is exact.
    found = quantise_weights("m.onnx", {"w": np.array([[1.27, 0.004, 0.016, -0.5]], dtype=np.float32)})
    (tensor,) = found.tensors
    assert tensor.scale == pytest.approx(0.01)
    assert tensor.largest_error == pytest.approx(0.004, rel=1e-4)
    assert (found.bytes_before, found.bytes_after) == (16, 8)
    assert found.curve[-1][1] == pytest.approx(0.4, rel=1e-4)


@settings(deadline=None)
@given(
    arrays.arrays(
        np.float64, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.floats(-1e6, 1e6, width=32)
    )
)
def test_the_round_trip_is_off_by_at_most_half_a_scale(weights: np.ndarray) -> None:
    found = quantise_weights("m", {"w": weights})
    (tensor,) = found.tensors
    assert tensor.largest_error <= tensor.scale / 2 * (1 + 1e-9)
    assert all(error <= 0.5 * (1 + 1e-9) for _, error in found.curve)
    assert [error for _, error in found.curve] == sorted(error for _, error in found.curve)


def test_float32_weights_take_a_quarter_of_the_bytes() -> None:
    found = quantise_weights("m", {"w": np.ones((256, 256), dtype=np.float32)})
    assert found.bytes_after / found.bytes_before == pytest.approx(0.25, abs=1e-4)


def test_biases_and_whole_numbers_stay_as_they_are() -> None:
    found = quantise_weights(
        "m", {"b": np.ones(4), "i": np.ones((2, 2), dtype=np.int64), "e": np.ones((0, 2))}
    )
    assert (found.tensors, found.curve, found.bytes_before) == ((), (), 0)


def test_the_tensor_that_loses_most_of_its_scale_comes_first() -> None:
    exact, off = np.array([[127.0, 1.0]]), np.array([[127.0, 0.5]])
    names = [item.name for item in quantise_weights("m", {"exact": exact, "off": off}).tensors]
    assert names == ["off", "exact"]
