"""Pass 3, common subexpressions: value numbering over operator, attributes and operand numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.compiler.folding import RANDOM
from perfgate.compiler.opclass import BORDERS, CONTROL
from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.passnames import CSE

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue

COMMUTATIVE = frozenset(
    {"Add", "Mul", "Min", "Max", "Sum", "And", "Or", "Xor", "Equal", "BitwiseAnd", "BitwiseOr"}
)
_PROBE = 8  # elements compared first; real weights of one shape differ in them


def merge_duplicates(work: WorkGraph, log: PassLog) -> None:
    """Keep the first of nodes that compute the same value; later ones end as tombstones.

    Operands are identified by the object that holds them, equal initialisers count as one. Only a node whose
    operands collide pays for a comparison of attributes.
    """
    numbers = _constant_numbers(work)
    seen: dict[tuple[Any, ...], list[WorkNode]] = {}
    for node in work.slots:
        if node is None:
            continue
        ids = [0 if operand is None else numbers.get(operand.name) or id(operand) for operand in node.inputs]
        if node.op in COMMUTATIVE:
            ids.sort()
        key = (node.op, *ids)
        first = seen.get(key)
        if first is None:
            seen[key] = [node]
            continue
        twin = next((other for other in first if same_attributes(other.attributes, node.attributes)), None)
        if twin is None or len(twin.outputs) != len(node.outputs):
            first.append(node)
        else:
            _merge(work, log, twin, node)


def _constant_numbers(work: WorkGraph) -> dict[str, int]:
    """Numbers of initialisers that equal an earlier one, by name; shape-only ones equal only themselves."""
    groups: dict[tuple[Any, ...], list[WorkValue]] = {}
    numbers: dict[str, int] = {}
    for value in work.values.values():
        if not value.is_constant or value.value is None:
            continue
        content = value.value
        probe = content.ravel()[:_PROBE].tobytes() if isinstance(content, np.ndarray) else repr(content)
        group = groups.setdefault((value.dtype, value.shape, probe), [])
        twin = next((other for other in group if np.array_equal(other.value, content)), None)
        if twin is None:
            group.append(value)
        else:
            numbers[value.name] = id(twin)
    return numbers


def same_attributes(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Equal attributes; arrays by content, nested graphs by their digest."""
    if left is right or (not left and not right):
        return True
    if left.keys() != right.keys():
        return False
    return all(_same(value, right[name]) for name, value in left.items())


def _same(left: Any, right: Any) -> bool:  # noqa: ANN401 - attributes are of any type
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return bool(np.array_equal(left, right))
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
