"""Synthetic models for speed: a chain of residual blocks as long as asked."""

from __future__ import annotations

import onnx
from onnx import helper

CHANNELS = 64
PATTERN = ("Conv", "BatchNormalization", "Relu", "Conv", "Add")


def chain(nodes: int) -> bytes:
    """A serialised network of `nodes` nodes (convolution, norm, activation, convolution, residual sum)."""
    made: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    last = block = "input"
    for index in range(nodes):
        op, name = PATTERN[index % len(PATTERN)], f"stage.{index // 100}.block.{index // 5}.{index}"
        inputs, attributes = [last], {}
        if op == "Conv":
            inputs.append(_weight(weights, f"{name}.weight", (CHANNELS, CHANNELS, 3, 3)))
            attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 1]}
        elif op == "BatchNormalization":
            inputs += [
                _weight(weights, f"{name}.{part}", (CHANNELS,)) for part in ("scale", "shift", "mean", "var")
            ]
        elif op == "Add":
            inputs.append(block)
        made.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        last = name
        block = name if op == "Add" else block
    shape = [1, CHANNELS, 56, 56]
    graph = helper.make_graph(
        made,
        "chain",
        [helper.make_tensor_value_info("input", onnx.TensorProto.FLOAT16, shape)],
        [helper.make_tensor_value_info(last, onnx.TensorProto.FLOAT16, shape)],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    return bytes(model.SerializeToString())


def _weight(weights: list[onnx.TensorProto], name: str, shape: tuple[int, ...]) -> str:
    weights.append(onnx.TensorProto(name=name, dims=list(shape), data_type=onnx.TensorProto.FLOAT16))
    return name
