"""Functions that exporters write as primitives: Swish, Gelu, LayerNorm. Part of pass 6.

`Where(x > 0, x, 0)` is not among them, on purpose: a compiler that does not know a custom activation is the
fault this project has to be able to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from perfgate.compiler.passnames import FUSION
from perfgate.compiler.switches import Fusion
from perfgate.compiler.workgraph import share_kernel

if TYPE_CHECKING:
    from perfgate.compiler.fusion import Fuser
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue

_MOST_CONE = 8  # nodes between x and the erf or tanh of a Gelu: the cubic form has five


def recognise(fuser: Fuser) -> None:
    """Replace the primitive forms by one node each; a switched-off form is logged and left alone."""
    work = fuser.work
    for node in work.of("Sigmoid"):
        _swish(fuser, node)
    for op in ("Erf", "Tanh"):
        for node in work.of(op):
            _gelu(fuser, node)
    for node in work.of("ReduceMean"):
        if node.slot >= 0:
            _layer_norm(fuser, node)


def only_user(value: WorkValue) -> WorkNode | None:
    """The one user of an inner value; None for a model output, or where it is another kernel in any case."""
    if len(value.consumers) != 1 or value.is_output:
        return None
    user, producer = value.consumers[0], value.producer
    return user if producer is None or share_kernel(producer, user) else None


def other_operand(node: WorkNode, value: WorkValue) -> WorkValue | None:
    """The second operand of a binary node."""
    if len(node.inputs) != 2:  # noqa: PLR2004 - binary
        return None
    return node.inputs[1] if node.inputs[0] is value else node.inputs[0]


class Form(NamedTuple):
    """What a group of primitives is replaced by."""

    fusion: Fusion
    op: str
    operands: list[WorkValue | None]
    attributes: dict[str, Any]


def _collapse(fuser: Fuser, last: WorkNode, members: list[WorkNode], form: Form) -> None:
    """Let `last` stand for the whole group under a new operator; the others leave the graph."""
    before = tuple(node.label for node in (*members, last))
    if form.fusion in fuser.off:
        sentence = f"{form.fusion} is off in the fusion switch file"
        fuser.log.refused(FUSION, last, "switched-off", sentence, before)
        return
    work: WorkGraph = fuser.work
    for operand in last.inputs:
        if operand is not None and not operand.is_constant:
            operand.consumers.remove(last)
    size = 0
    for member in members:
        size += 2 * sum(value.size for value in member.outputs)
        work.remove(member)
        last.sources = member.sources + last.sources
    last.inputs, last.attributes, last.op = form.operands, form.attributes, form.op
    for operand in form.operands:
        if operand is not None and not operand.is_constant:
            operand.consumers.append(last)
    last.steps = (*last.steps, (FUSION, "fused"))
    work.by_op.setdefault(form.op, []).append(last)
    saved = (size, len(members))
    fuser.log.applied(
        FUSION, last, f"recognised as {form.op}", before=before, after=(last.label,), saved=saved
    )


def _swish(fuser: Fuser, sigmoid: WorkNode) -> None:
    source = sigmoid.inputs[0]
    user = only_user(sigmoid.outputs[0])
    if source is None or user is None or user.op != "Mul":
        return
    if other_operand(user, sigmoid.outputs[0]) is source:
        _collapse(fuser, user, [sigmoid], Form(Fusion.SWISH, "Swish", [source], {}))


def _gelu(fuser: Fuser, curve: WorkNode) -> None:
    """x/2 * (1 + curve(...)), the half applied at any of its three usual places."""
    plus = only_user(curve.outputs[0])
    if plus is None or plus.op != "Add" or not _is_scalar(other_operand(plus, curve.outputs[0])):
        return
    first = only_user(plus.outputs[0])
    if first is None or first.op != "Mul":
        return
    members, last = [curve, plus], first
    other = other_operand(first, plus.outputs[0])
    if other is None:
        return
    if _is_scalar(other):  # x * (0.5 * (1 + c))
        second = only_user(first.outputs[0])
        if second is None or second.op != "Mul":
            return
        members.append(first)
        last = second
        source = other_operand(second, first.outputs[0])
    elif (half := _scaled(other)) is not None and only_user(other) is first:  # (0.5 * x) * (1 + c)
        members.append(half[0])
        source = half[1]
    else:  # (x * (1 + c)) * 0.5
        source = other
        second = only_user(first.outputs[0])
        if second is not None and second.op == "Mul" and _is_scalar(other_operand(second, first.outputs[0])):
            members.append(first)
            last = second
    cone = _cone(curve, source) if source is not None else None
    if cone is None:
        return
    ordered = sorted((*cone, *members), key=lambda node: node.slot)
    attributes = {"approximate": "tanh"} if curve.op == "Tanh" else {}
    _collapse(fuser, last, ordered, Form(Fusion.GELU, "Gelu", [source], attributes))


def _is_scalar(value: WorkValue | None) -> bool:
    return value is not None and value.is_constant and value.elements == 1


def _scaled(value: WorkValue) -> tuple[WorkNode, WorkValue] | None:
    """The node and operand of a product with a scalar constant."""
    node = value.producer
    if node is None or node.op not in {"Mul", "Div"} or len(node.inputs) != 2:  # noqa: PLR2004 - binary
        return None
    left, right = node.inputs
    if left is None or right is None:
        return None
    if _is_scalar(right):
        return node, left
    return (node, right) if _is_scalar(left) else None


def _cone(curve: WorkNode, source: WorkValue) -> list[WorkNode] | None:
    """The nodes between `source` and the operand of the curve; None unless only constants join in."""
    found: list[WorkNode] = []
    pending = list(curve.inputs)
    while pending:
        value = pending.pop()
        if value is None or value is source or value.is_constant:
            continue
        node = value.producer
        if node in found:
            continue
        if node is None or node.op not in {"Mul", "Add", "Pow", "Div"} or len(found) >= _MOST_CONE:
            return None
        found.append(node)
        pending.extend(node.inputs)
    inside = {id(node) for node in (*found, curve)}
    closed = all(id(user) in inside for node in found for user in node.outputs[0].consumers)
    return found if found and closed else None


def _layer_norm(fuser: Fuser, mean: WorkNode) -> None:
    """(x - mean) / sqrt(mean((x - mean)^2) + eps), then an optional scale and shift."""
    source = mean.inputs[0]
    subtract = only_user(mean.outputs[0])
    if source is None or subtract is None or subtract.op != "Sub" or subtract.inputs[0] is not source:
        return
    centred = subtract.outputs[0]
    divide = next(
        (user for user in centred.consumers if user.op == "Div" and user.inputs[0] is centred), None
    )
    deviation = divide.inputs[1] if divide is not None else None
    if divide is None or deviation is None:
        return
    members = _variance_nodes(deviation, centred)
    axis = _trailing_axis(source.shape, mean.outputs[0].shape)
    if members is None or axis is None:
        return
    members = [mean, subtract, *members]
    last, operands = divide, [source]
    for op in ("Mul", "Add"):
        user = only_user(last.outputs[0])
        factor = other_operand(user, last.outputs[0]) if user is not None and user.op == op else None
        if user is None or factor is None or not factor.is_constant:
            break
        members.append(last)
        operands.append(factor)
        last = user
    form = Form(Fusion.LAYER_NORM, "LayerNormalization", [*operands], {"axis": axis})
    _collapse(fuser, last, members, form)


def _variance_nodes(deviation: WorkValue, centred: WorkValue) -> list[WorkNode] | None:
    """Square, mean, add and root between the centred values and their deviation, in order."""
    found: list[WorkNode] = []
    value: WorkValue | None = deviation
    for ops in (("Sqrt",), ("Add",), ("ReduceMean",), ("Pow", "Mul")):
        node = value.producer if value is not None else None
        if node is None or node.op not in ops or only_user(node.outputs[0]) is None:
            return None
        found.insert(0, node)
        value = next(
            (operand for operand in node.inputs if operand is not None and not operand.is_constant), None
        )
    return found if value is centred else None


def _trailing_axis(shape: tuple[int, ...], reduced: tuple[int, ...]) -> int | None:
    """First reduced axis when all axes from it on are reduced to 1, else None."""
    if len(shape) != len(reduced):
        return None
    changed = [index for index, (full, one) in enumerate(zip(shape, reduced, strict=True)) if full != one]
    if not changed:
        return None
    first = changed[0]
    return first - len(shape) if all(size == 1 for size in reduced[first:]) else None
