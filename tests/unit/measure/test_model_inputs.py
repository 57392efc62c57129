from __future__ import annotations

import pytest
from onnx import TensorProto, helper

from perfgate.measure.model_inputs import guessed_inputs


def model(**inputs: list[int | str | None]) -> bytes:
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]
    graph = helper.make_graph([], "g", values, [])
    return bytes(helper.make_model(graph).SerializeToString())


def test_fixed_shapes_need_no_guess() -> None:
    assert guessed_inputs(model(x=[1, 3, 8, 8])) == {}


def test_one_symbol_is_one_size_in_every_input() -> None:
    found = guessed_inputs(model(x=["batch", "sequence"], state=[2, "batch", 64], y=["sequence", 4]))
    assert found == {"x": (1, 128), "state": (2, 1, 64), "y": (128, 4)}


def test_open_images_get_a_usual_size() -> None:
    assert guessed_inputs(model(x=[None, 3, None, None])) == {"x": (1, 3, 224, 224)}


def test_bytes_that_are_no_model_are_refused() -> None:
    with pytest.raises(ValueError, match="parsing"):
        guessed_inputs(b"\xff\xff no model")
