"""Outputs against a reference: hand-made arrays just inside and outside of what a precision explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.plan.output_difference import PRECISIONS, compare_outputs, relative_tolerance

VALUES = np.linspace(-2.0, 4.0, 64, dtype=np.float32).reshape(8, 8)


def check(got: Any, expected: Any = VALUES, precision: str = "fp16") -> Any:  # noqa: ANN401 - numpy arrays
    return compare_outputs({"y": expected}, {"y": got}, precision)


def test_equal_outputs_have_no_difference_and_cosine_one() -> None:
    (found,) = check(VALUES.copy()).outputs
    assert (found.largest, found.is_equal, found.is_within) == (0.0, True, True)
    assert found.cosine == pytest.approx(1.0)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_one_value_may_be_off_by_the_tolerance_of_the_precision(precision: str) -> None:
    allowed = relative_tolerance(precision) * 4.0  # of the largest value, 4
    for factor, is_broken in ((0.99, False), (1.01, True)):
        got = VALUES.astype(np.float64)
        got[3, 3] += factor * allowed
        found = check(got, VALUES.astype(np.float64), precision)
        assert found.is_broken is is_broken
        assert found.outputs[0].largest == pytest.approx(factor * allowed)


def test_the_tolerances_are_twenty_roundings_and_no_less_than_another_order_of_sums() -> None:
    # 20 * 2^-11, 20 * 2^-8, 20 / 254 and 1e-4
    shown = {name: round(relative_tolerance(name), 5) for name in PRECISIONS}
    assert shown == {"fp32": 0.0001, "fp16": 0.00977, "bf16": 0.07812, "int8": 0.07874}


def test_many_small_differences_turn_the_vector_and_break_the_cosine() -> None:
    # All of 0.95 of the tolerance, while most values are a hundredth of the largest one.
    expected = np.full(1000, 0.01)
    expected[0] = 1.0
    got = expected + 0.95 * relative_tolerance("int8") * np.resize([1.0, -1.0], 1000)
    (found,) = check(got, expected, "int8").outputs
    assert found.largest is not None
    assert found.largest < found.tolerance
    assert found.cosine is not None
    assert found.cosine < found.least_cosine
    assert not found.is_within


@pytest.mark.parametrize(
    ("got", "reason"),
    [
        (VALUES[:4], "it has the shape [4, 8], not [8, 8]"),
        (np.where(VALUES > 3, np.nan, VALUES), "NaN or infinities"),
        (np.where(VALUES > 3, np.inf, VALUES), "NaN or infinities"),
        (None, "it is missing"),
    ],
)
def test_what_cannot_be_compared_is_broken(got: Any, reason: str) -> None:  # noqa: ANN401 - numpy arrays
    found = compare_outputs({"y": VALUES}, {} if got is None else {"y": got}, "fp16")
    assert found.is_broken
    assert reason in found.outputs[0].reason
    assert found.outputs[0].largest is None


def test_equal_nan_and_infinities_are_equal() -> None:
    values = VALUES.copy()
    values[0, :3] = [np.nan, np.inf, -np.inf]
    assert check(values.copy(), values).outputs[0].is_equal


def test_whole_numbers_and_truths_have_to_be_equal() -> None:
    labels = np.array([1, 2, 3])
    assert not check(labels.copy(), labels).is_broken
    assert check(np.array([1, 2, 4]), labels).is_broken
    assert check(np.array([True, False]), np.array([True, True])).is_broken


def test_texts_have_no_difference() -> None:
    assert "no difference" in check(np.array(["a"]), np.array(["a"])).outputs[0].reason


def test_all_zeros_have_no_direction() -> None:
    zeros = np.zeros(4)
    assert check(zeros, zeros).outputs[0].is_within
    assert check(np.ones(4), zeros).is_broken


@settings(deadline=None)
@given(st.floats(1e-300, 1e300))
def test_the_answer_does_not_depend_on_the_scale(scale: float) -> None:
    got = VALUES.astype(np.float64)
    got[0, 0] *= 1.001
    (found,) = check(got * scale, VALUES.astype(np.float64) * scale).outputs
    assert found.is_within
    assert found.cosine == pytest.approx(1.0, abs=1e-5)
