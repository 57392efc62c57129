"""The form of one row of the op table: how an operator's outputs and cost follow from its inputs."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from perfgate.graph.ir import Node, Tensor
from perfgate.graph.problems import ValueNeeded, mismatch

MOST_VALUE_ELEMENTS = 4096  # larger tensors are data, not shape arithmetic

OWN_DOMAIN = "perfgate"  # structure the importer adds: borders of loop bodies

Shape: TypeAlias = tuple[int, ...]
Result: TypeAlias = tuple[Shape, str]  # shape and element type of one output


class OpKind(StrEnum):
    """Which engine an operator's time is spent on; `free` operators are views or compile-time values."""

    MATRIX = "matrix"
    VECTOR = "vector"
    MOVE = "move"
    FREE = "free"


class OpFacts(msgspec.Struct, frozen=True, gc=False):
    """Work of one execution of a node, before any device is chosen.

    `macs`: output elements x reduced length, bias not counted. `flops`: 2 x MACs, plus one for each
    elementary operation (a transcendental counts one). `vector_work`: elements x weight of the operation
    (add 1, multiply 1, divide 4, exp 8, erf 12). A matrix product is `count` products of m x k by k x n.
    `row`: elements reduced together by softmax, norms and reductions, else 0. Bytes are unpadded.
    """

    kind: OpKind
    macs: int = 0
    flops: int = 0
    vector_work: int = 0
    m: int = 0
    n: int = 0
    k: int = 0
    count: int = 1
    row: int = 0
    read_bytes: int = 0
    write_bytes: int = 0
    is_estimated: bool = False


class Site(msgspec.Struct, gc=False):
    """One use of an operator as its rules see it: inputs in order (None where omitted), attributes, version.

    `outputs` is the number of outputs asked for. `bound` (-1: none) and `declared` limit a data-dependent
    size.
    """

    op: str
    inputs: list[Tensor | None]
    attributes: dict[str, Any]
    outputs: int
    opset: int
    bound: int = -1
    declared: Shape | None = None

    def tensor(self, position: int) -> Tensor:
        """Input that the operator cannot do without."""
        if position < len(self.inputs):
            found = self.inputs[position]
            if found is not None:
                return found
        raise mismatch(f"input {position} is absent", "connect it: the operator requires it")

    def optional(self, position: int) -> Tensor | None:
        """Input that may be absent."""
        return self.inputs[position] if position < len(self.inputs) else None

    def integers(self, position: int, meaning: str) -> tuple[int, ...] | None:
        """Value of an integer operand such as a shape or axes; None when absent.

        Raises:
            ValueNeeded: the operand is there but its value is unknown.
        """
        operand = self.optional(position)
        if operand is None:
            return None
        if operand.value is None:
            if 0 in operand.shape:
                return ()
            raise ValueNeeded(position, meaning)
        return tuple(int(item) for item in operand.value.ravel().tolist())


ShapeRule: TypeAlias = Callable[[Site], list[Result]]
ValueRule: TypeAlias = Callable[[Site, list[Result]], list[Any]]
CostRule: TypeAlias = Callable[[Node, list[Tensor | None], list[Tensor]], OpFacts]


class Row(msgspec.Struct, frozen=True):
    """One operator. `value` computes output values when every given input has one (`is_static`: always).

    `is_data_dependent`: a size follows from data, so `bounds` or the declared shape limit it.

    `parameters`: positions of operands that only steer the compiler (shapes, axes, pads), no kernel reads
    them.
    """

    shape: ShapeRule
    cost: CostRule
    value: ValueRule | None = None
    is_static: bool = False
    is_data_dependent: bool = False
    parameters: tuple[int, ...] = ()


def axis_of(axis: int, rank: int) -> int:
    """Axis counted from the front; raises `Refusal` when out of range."""
    if type(axis) is not int:
        raise TypeError(f"axis {axis!r} is not an integer")
    if not -rank <= axis < rank:
        raise mismatch(f"axis {axis} is outside rank {rank}", "use an axis within the tensor's rank")
    return axis + rank if axis < 0 else axis


def broadcast(left: Shape, right: Shape) -> Shape:
    """Shape of two operands stretched to each other (numpy's rule)."""
    if left == right or not right:
        return left
    if not left:
        return right
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    offset = len(longer) - len(shorter)
    sizes = list(longer)
    for index, size in enumerate(shorter, offset):
        other = sizes[index]
        if size in {1, other}:
            continue
        if other != 1:
            axis = index - len(longer)
            raise mismatch(
                f"{list(left)} and {list(right)} do not broadcast: axis {axis} is {other} against {size}"
            )
        sizes[index] = size
    return tuple(sizes)


def product(shape: Shape) -> int:
    """Number of elements of a shape."""
    count = 1
    for size in shape:
        count *= size
    return count
