"""The attention pattern: product, scale, mask, softmax and product as one kernel. Part of pass 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.recognise import only_user
from perfgate.compiler.switches import Fusion

if TYPE_CHECKING:
    from perfgate.compiler.fusion import Fuser
    from perfgate.compiler.workgraph import WorkNode
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
        # The scores are the operand of full shape; the mask or scale may have it too, so look for the product.
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
