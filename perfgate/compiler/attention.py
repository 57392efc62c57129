"""Products of computed operands: swapped axes, and attention as one kernel. Part of pass 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.facts import AS_SEEN
from perfgate.compiler.identity import permutation
from perfgate.compiler.passnames import FUSION
from perfgate.compiler.recognise import only_user
from perfgate.compiler.switches import Fusion

if TYPE_CHECKING:
    from perfgate.compiler.fusion import Fuser
    from perfgate.compiler.workgraph import WorkNode, WorkValue
    from perfgate.core.device import Device

_SCORE_BYTES = 4  # a row of scores is kept in fp32 until it is normalised
_BETWEEN = frozenset({"Mul", "Div", "Add", "Where"})
_MOST_BETWEEN = 3


def fuse_attention(fuser: Fuser, device: Device) -> None:
    """Fuse each softmax between two products, when a row of scores fits on chip."""
    for softmax in fuser.work.of("Softmax"):
        chain = _chain_before(softmax)
        second = only_user(softmax.outputs[0])
        if (
            chain is None
            or second is None
            or second.op != "MatMul"
            or second.inputs[0] is not softmax.outputs[0]
        ):
            continue
        first = chain[0]
        if Fusion.ATTENTION in fuser.off:
            fuser.refuse(
                first, softmax, "switched-off", f"{Fusion.ATTENTION} is off in the fusion switch file"
            )
            continue
        scores = softmax.outputs[0]
        row = scores.shape[-1] * _SCORE_BYTES
        if row > device.buffers.vector_bytes:
            sentence = (
                f"a row of scores takes {row} B, the vector buffer holds {device.buffers.vector_bytes} B"
            )
            fuser.refuse(first, softmax, "buffer-too-small", sentence)
            continue
        for member in (*chain[1:], softmax, second):
            fuser.take(
                first, member, first.outputs[0], f"{member.op} of an attention block, scores stay on chip"
            )
        first.notes["pattern"] = "attention"


def absorb_transposes(fuser: Fuser) -> None:
    """Let products read an operand whose last two axes are swapped: the load path delivers either order.

    What else the Transpose does stays, with the innermost axis in place.
    """
    for node in fuser.work.of("Transpose"):
        result, operand = node.outputs[0], node.inputs[0]
        order = permutation(node)
        last = len(order) - 1
        if operand is None or last < 1 or order[-2] != last or result.is_output or not _is_factor(result):
            continue
        user = result.consumers[0]
        if Fusion.MATMUL_TRANSPOSE in fuser.off:
            fuser.refuse(
                node, user, "switched-off", f"{Fusion.MATMUL_TRANSPOSE} is off in the fusion switch file"
            )
            continue
        _read_unswapped(fuser, node, (*order[:-2], order[-1], order[-2]))


def _is_factor(value: WorkValue) -> bool:
    return bool(value.consumers) and all(
        user.op == "MatMul" and any(operand is value for operand in user.inputs[:2])
        for user in value.consumers
    )


def _read_unswapped(fuser: Fuser, node: WorkNode, order: tuple[int, ...]) -> None:
    work, result, operand = fuser.work, node.outputs[0], node.inputs[0]
    if operand is None:
        return
    users = list(dict.fromkeys(result.consumers))
    for user in users:
        seen = user.notes.setdefault(AS_SEEN, {})
        seen.update(
            {position: result.tensor for position, value in enumerate(user.inputs[:2]) if value is result}
        )
    before = (node.label, *(user.label for user in users))
    if order == tuple(range(len(order))):
        work.redirect(result, operand)
        work.remove(node)
        for user in users:
            user.sources += node.sources
            user.steps = (*user.steps, (FUSION, "fused"))
        saved = (2 * result.size, 1)
    else:
        swapped = work.new_value(
            result.name, (*result.shape[:-2], result.shape[-1], result.shape[-2]), result.dtype
        )
        work.redirect(result, swapped)
        node.outputs, swapped.producer = [swapped], node
        node.attributes = {**node.attributes, "perm": order}
        saved = (0, 0)
    fuser.log.applied(
        FUSION, users[0], "the last two axes are swapped while the operand is loaded",
        before=before, after=tuple(user.label for user in users), saved=saved,
    )  # fmt: skip


def _chain_before(softmax: WorkNode) -> list[WorkNode] | None:
    """The product and what lies between it and the softmax, in order; None when it is another pattern."""
    axis = softmax.attributes.get("axis", -1)
    value = softmax.inputs[0]
    if value is None or axis not in {-1, len(value.shape) - 1}:
        return None
    chain: list[WorkNode] = []
    while value is not None and only_user(value) is not None:
        node = value.producer
        if node is None:
            return None
        chain.insert(0, node)
        if node.op == "MatMul":
            return chain
        if node.op not in _BETWEEN or len(chain) > _MOST_BETWEEN:
            return None
        shape = value.shape
        # The scores have the full shape; the mask or scale may have it too, so look for the product.
        candidates = [o for o in node.inputs if o is not None and o.shape == shape and o.producer is not None]
        value = next(
            (
                o
                for o in candidates
                if only_user(o) is node and o.producer is not None and o.producer.op in _BETWEEN | {"MatMul"}
            ),
            None,
        )
    return None
