"""A model on the drawing board: nodes with scope names and source places, weights without bytes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx
from onnx import helper, numpy_helper

if TYPE_CHECKING:
    from collections.abc import Sequence

OPSET = 21
IR_VERSION = 10
PRODUCER = "perfgate.zoo"
SHARED_FILES = frozenset({__file__, str(Path(__file__).with_name("blocks.py"))})

Model: TypeAlias = Any  # onnx.ModelProto or GraphProto, which carry no types


class Sketch:
    """Collects nodes of one graph; every method returns the name of the tensor it made.

    Weights have shape and type but no bytes: costs need nothing else, and files stay small. Each node's
    source place is the line of the builder that asked for it.
    """

    __slots__ = ("_inputs", "_metadata", "_name", "_nodes", "_opset", "_outputs", "_type", "_weights")

    def __init__(self, name: str, element_type: str = "FLOAT16", opset: int = OPSET) -> None:
        self._name = name
        self._opset = opset
        self._type = element_type
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._metadata: dict[str, str] = {}

    def input(self, name: str, shape: Sequence[int | str], element_type: str = "") -> str:
        """A graph input."""
        code = onnx.TensorProto.DataType.Value(element_type or self._type)
        self._inputs.append(helper.make_tensor_value_info(name, code, list(shape)))
        return name

    def output(self, name: str, shape: Sequence[int | str] | None, element_type: str = "") -> None:
        """A graph output, an existing tensor."""
        code = onnx.TensorProto.DataType.Value(element_type or self._type)
        self._outputs.append(
            helper.make_tensor_value_info(name, code, None if shape is None else list(shape))
        )

    def weight(self, name: str, shape: Sequence[int], element_type: str = "") -> str:
        """A shape-only weight."""
        code = onnx.TensorProto.DataType.Value(element_type or self._type)
        self._weights.append(onnx.TensorProto(name=name, dims=list(shape), data_type=code))
        return name

    def constant(self, name: str, values: Any, dtype: str = "int64") -> str:  # noqa: ANN401 - numbers, nested or not
        """A weight with its value: shapes, axes, scales."""
        self._weights.append(numpy_helper.from_array(np.array(values, dtype=dtype), name))
        return name

    def add(self, op: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:  # noqa: ANN401 - ONNX attributes
        """A node with one output, both called `name`."""
        return self.add_many(op, inputs, name, [name], **attributes)[0]

    def add_many(
        self,
        op: str,
        inputs: Sequence[str],
        name: str,
        outputs: list[str],
        **attributes: Any,  # noqa: ANN401 - ONNX attributes
    ) -> list[str]:
        """A node with several outputs."""
        domain = attributes.pop("domain", "")
        node = helper.make_node(op, list(inputs), outputs, name=name, domain=domain, **attributes)
        entry = node.metadata_props.add()
        entry.key, entry.value = "source", _caller()
        self._nodes.append(node)
        return outputs

    def note(self, key: str, value: str) -> None:
        """An entry of the model's metadata."""
        self._metadata[key] = value

    def graph(self) -> Model:
        """What was drawn, as the body of a loop."""
        return helper.make_graph(self._nodes, self._name, self._inputs, self._outputs, self._weights)

    def model(self) -> Model:
        """The finished model."""
        model = helper.make_model(
            self.graph(),
            opset_imports=[helper.make_opsetid("", self._opset)],
            ir_version=IR_VERSION,
            producer_name=PRODUCER,
        )
        helper.set_model_props(model, self._metadata)
        return model


def _caller() -> str:
    """`file:line:column` of the model's line on the call stack: behind this file and the shared blocks."""
    frame = sys._getframe(1)  # noqa: SLF001 - inspect.stack reads source files and costs milliseconds
    while frame.f_code.co_filename in SHARED_FILES and frame.f_back is not None:
        frame = frame.f_back
    positions = list(frame.f_code.co_positions())
    column = positions[frame.f_lasti // 2][2] or 0
    return f"perfgate/zoo/{Path(frame.f_code.co_filename).name}:{frame.f_lineno}:{column + 1}"
