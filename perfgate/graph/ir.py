"""The graph that an ONNX model becomes: nodes in topological order, tensors with shapes, places and scopes.

Values are msgspec structs, not dataclasses: at 30,000 nodes per second a node has 33 us for everything, and a
frozen dataclass with many fields takes several us to build (docs/adr/0002). Nobody changes them after `load`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
import numpy as np

from perfgate.core import item_types


class TensorKind(StrEnum):
    """Where a tensor comes from."""

    INPUT = "input"
    WEIGHT = "weight"
    ACTIVATION = "activation"


class Tensor(msgspec.Struct, frozen=True, gc=False):
    """A named tensor with a static shape (in elements, logical order) and an element type.

    `dtype` is numpy's name (`float32`, `int64`) or `bfloat16`. `value` is present for small integer tensors
    and for weights whose bytes are in the model; a weight without it is *shape-only*: costs are the same,
    values are unknown.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    kind: TensorKind = TensorKind.ACTIVATION
    value: Any = None  # numpy array or None; msgspec cannot name the array type

    @property
    def elements(self) -> int:
        """Number of elements; 1 for a scalar."""
        count = 1
        for size in self.shape:
            count *= size
        return count


class Place(msgspec.Struct, frozen=True, gc=False):
    """A source place: `file:line:column` of the model's builder, or `model.onnx:index`."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


class Node(msgspec.Struct, frozen=True):
    """One operation. `inputs` holds "" for an omitted optional input.

    `attributes`: int, float, str, tuples of them or numpy arrays, by ONNX name. `If`, `Loop`, `Scan` do not
    occur: their bodies are flattened (`graph.branching`, `graph.loops`). `scope` is the dotted path of the
    name. `repeat`: how often a node of a loop body runs. `opset`: version of the node's domain (a model
    function may import another one than the graph).
    `is_estimated`: the op is not in the table; its cost is a vector pass over inputs and outputs.
    """

    index: int
    name: str
    op: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    scope: str
    place: Place
    repeat: int = 1
    is_estimated: bool = False
    opset: int = 0


class Remark(msgspec.Struct, frozen=True):
    """Something the importer decided or could not honour; shown in the compile summary, never dropped."""

    code: str
    where: str
    text: str


class Graph(msgspec.Struct, frozen=True):
    """A model with every dimension known; `nodes` are in topological order, `tensors` by name.

    `metadata` holds the model's own entries (for example `step_cache`). `digest` is the SHA-256 of the
    model's content with the bound dimensions, in hex.
    """

    name: str
    nodes: tuple[Node, ...]
    tensors: dict[str, Tensor]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    metadata: dict[str, str]
    remarks: tuple[Remark, ...]
    opset: int
    digest: str


ITEM_BYTES = item_types.ITEM_BYTES


def is_integer_type(dtype: str) -> bool:
    """Shape arithmetic happens in these types."""
    return dtype in {"int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool"}


def same_value(left: Any, right: Any) -> bool:  # noqa: ANN401 - tensor values are arrays or None
    """Equal known values; two unknown values are never equal."""
    return left is not None and right is not None and bool(np.array_equal(left, right))
