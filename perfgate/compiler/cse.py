"""Pass 3, common subexpressions: value numbering over operator, attributes and operand numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.compiler.folding import RANDOM
from perfgate.compiler.opclass import BORDERS, CONTROL
from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.passnames import CSE
from perfgate.graph.ir import same_value

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue

COMMUTATIVE = frozenset(
    {"Add", "Mul", "Min", "Max", "Sum", "And", "Or", "Xor", "Equal", "BitwiseAnd", "BitwiseOr"}
)


def merge_duplicates(work: WorkGraph, log: PassLog) -> None:
    """Keep the first of nodes that compute the same value; later ones end as tombstones.

    Operands are numbered by the object that holds them, constants by shape and ends. Only nodes that agree
    so far pay for a comparison of attributes and constants.
    """
    seen: dict[tuple[Any, ...], list[WorkNode]] = {}
    for node in work.slots:
        if node is None:
            continue
        key = number_of(node)
        first = seen.get(key)
        if first is None:
            seen[key] = [node]
            continue
        twin = next((other for other in first if is_same(other, node)), None)
        if twin is None:
            first.append(node)
        else:
            _merge(work, log, twin, node)


def number_of(node: WorkNode) -> tuple[Any, ...]:
    """Equal for nodes that may compute the same."""
    numbers: list[Any] = []
    constants: list[Any] = []
    is_ordered = node.op not in COMMUTATIVE
    for operand in node.inputs:
        if operand is None:
            numbers.append(0)
        elif not operand.is_constant:
            numbers.append(id(operand))
        elif is_ordered:
            numbers.append(_number_of_constant(operand))
        else:
            constants.append(_number_of_constant(operand))
    if not is_ordered:
        numbers.sort()
        numbers += constants
    return (node.op, *numbers)


def _number_of_constant(operand: WorkValue) -> object:
    """Equal for constants that may be equal; one without bytes equals only itself."""
    value = operand.value
    if value is None or not value.size:
        return id(operand)
    return operand.shape, value.item(0), value.item(value.size - 1)


def is_same(left: WorkNode, right: WorkNode) -> bool:
    """Nodes of equal number that do compute the same."""
    if len(left.outputs) != len(right.outputs) or not same_attributes(left.attributes, right.attributes):
        return False
    pairs = zip(_constants(left), _constants(right), strict=True)
    return all(a is b or (a.dtype == b.dtype and same_value(a.value, b.value)) for a, b in pairs)


def _constants(node: WorkNode) -> list[WorkValue]:
    return [operand for operand in node.inputs if operand is not None and operand.is_constant]


def same_attributes(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Equal attributes; arrays by content, also inside tuples."""
    if left is right or (not left and not right):
        return True
    if left.keys() != right.keys():
        return False
    return all(_same(value, right[name]) for name, value in left.items())


def _same(left: Any, right: Any) -> bool:  # noqa: ANN401 - attributes are of any type
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return bool(np.array_equal(left, right))
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def has_body(node: WorkNode) -> bool:
    """A control operator, or the border of a body that was made flat."""
    return node.op in CONTROL or node.op in BORDERS


def _merge(work: WorkGraph, log: PassLog, twin: WorkNode, node: WorkNode) -> None:
    if node.op in RANDOM:
        log.refused(CSE, node, "random-op", f"{node.op} draws new values at each execution")
        return
    if has_body(node):
        log.refused(CSE, node, "has-subgraph", f"bodies of {node.op} are not compared")
        return
    if any(value.is_output for value in node.outputs):
        log.refused(
            CSE, node, "graph-output", "both results are outputs of the model, each needs its own bytes"
        )
        return
    saved = 0
    for old, new in zip(node.outputs, twin.outputs, strict=True):
        saved += old.size
        work.redirect(old, new)
    work.remove(node)
    work.bury(node, ResidueKind.TOMBSTONE, f"duplicate of {twin.label}")
    log.applied(
        CSE, node, f"computes the same as {twin.label}",
        before=(twin.label, node.label), after=(twin.label,), saved=(saved, 1),
    )  # fmt: skip
