"""Small models as bytes, for the tests of the importer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

Shape = Sequence[int | str]
Value: TypeAlias = Any  # an array, a shape, a list of messages
ModelBytes = Callable[..., bytes]


@pytest.fixture
def model_bytes() -> ModelBytes:
    """Builds a serialised model from nodes, inputs (name -> shape), outputs and weights (name -> array)."""

    def build(
        nodes: Sequence[onnx.NodeProto],
        *,
        inputs: Mapping[str, Shape],
        outputs: Sequence[str],
        weights: Mapping[str, Any] | None = None,
        **more: Value,
    ) -> bytes:
        types = more.get("types", {})
        shapes = more.get("output_shapes", {})
        graph = helper.make_graph(
            list(nodes),
            "test",
            [
                helper.make_tensor_value_info(n, types.get(n, onnx.TensorProto.FLOAT), s)
                for n, s in inputs.items()
            ],
            [
                helper.make_tensor_value_info(n, types.get(n, onnx.TensorProto.FLOAT), shapes.get(n))
                for n in outputs
            ],
            [_weight(name, value) for name, value in (weights or {}).items()],
        )
        opsets = [helper.make_opsetid(d, v) for d, v in more.get("opsets", {"": 17}).items()]
        model = helper.make_model(graph, opset_imports=opsets, functions=more.get("functions", []))
        return bytes(model.SerializeToString())

    return build


def _weight(name: str, value: Value) -> onnx.TensorProto:
    """An array with its bytes; a tuple is the shape of a float weight without any."""
    if isinstance(value, tuple):
        return onnx.TensorProto(name=name, dims=value, data_type=onnx.TensorProto.FLOAT)
    return numpy_helper.from_array(np.asarray(value), name)
