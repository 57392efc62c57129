from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.graph import load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes


def non_zero(model_bytes: ModelBytes, declared: tuple[int, int] | None = None) -> bytes:
    node = helper.make_node("NonZero", ["x"], ["y"], name="find")
    shapes = {} if declared is None else {"y": declared}
    types = {"y": onnx.TensorProto.INT64}
    return model_bytes([node], inputs={"x": (4, 5)}, outputs=["y"], output_shapes=shapes, types=types)


def test_a_data_dependent_size_is_the_upper_limit_and_logged(model_bytes: ModelBytes) -> None:
    graph = load(non_zero(model_bytes))
    assert graph.tensors["y"].shape == (2, 20)
    (remark,) = graph.remarks
    assert (remark.code, remark.where) == ("data-dependent", "find")
    assert "bounds: {find: n}" in remark.text


def test_the_declared_size_limits_it(model_bytes: ModelBytes) -> None:
    graph = load(non_zero(model_bytes, (2, 7)))
    assert graph.tensors["y"].shape == (2, 7)
    assert "as declared" in graph.remarks[0].text


def test_a_bound_limits_it_and_beats_the_declaration(model_bytes: ModelBytes) -> None:
    graph = load(non_zero(model_bytes, (2, 7)), bounds={"find": 3})
    assert graph.tensors["y"].shape == (2, 3)
    assert "3, as asked" in graph.remarks[0].text


def test_a_bound_above_the_possible_is_cut(model_bytes: ModelBytes) -> None:
    assert load(non_zero(model_bytes), bounds={"find": 99}).tensors["y"].shape == (2, 20)


def test_a_known_value_gives_the_exact_size(model_bytes: ModelBytes) -> None:
    graph = load(
        model_bytes(
            [helper.make_node("NonZero", ["w"], ["y"])],
            inputs={},
            outputs=["y"],
            weights={"w": np.array([[0, 3], [5, 0]])},
            types={"y": onnx.TensorProto.INT64},
        )
    )
    assert graph.tensors["y"].value.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(("most", "expected"), [(3, 2 * 5 * 3), (1000, 2 * 5 * 40), (0, 0)])
def test_suppression_keeps_at_most_what_is_asked(model_bytes: ModelBytes, most: int, expected: int) -> None:
    content = model_bytes(
        [helper.make_node("NonMaxSuppression", ["boxes", "scores", "most"], ["y"])],
        inputs={"boxes": (2, 40, 4), "scores": (2, 5, 40)},
        outputs=["y"],
        weights={"most": np.array([most])},
        types={"y": onnx.TensorProto.INT64},
    )
    assert load(content).tensors["y"].shape == (expected, 3)


def test_compress_along_an_axis(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [helper.make_node("Compress", ["x", "keep"], ["y"], axis=1)],
        inputs={"x": (2, 4)},
        outputs=["y"],
        weights={"keep": np.array([1, 0, 1], bool)},
    )
    assert load(content).tensors["y"].shape == (2, 2)
