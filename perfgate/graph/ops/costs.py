"""The cost rules that many operators share: vector pass, reduction, move, free."""

from __future__ import annotations

from perfgate.graph.ir import ITEM_BYTES, Node, Tensor
from perfgate.graph.ops.rows import CostRule, OpFacts, OpKind


def tensor_bytes(tensor: Tensor) -> int:
    """Unpadded bytes of a tensor."""
    count = ITEM_BYTES[tensor.dtype]
    for size in tensor.shape:
        count *= size
    return count


def total_bytes(tensors: list[Tensor | None] | list[Tensor]) -> int:
    """Unpadded bytes of the tensors that are present."""
    total = 0
    for tensor in tensors:
        if tensor is not None:
            total += tensor_bytes(tensor)
    return total


_FREE = OpFacts(kind=OpKind.FREE)


def free(_node: Node, _inputs: list[Tensor | None], _outputs: list[Tensor]) -> OpFacts:
    """A view, or a value that is known when compiling."""
    return _FREE


def vector(work: int, flops: int = 1) -> CostRule:
    """One pass: `work` and `flops` for each output element."""

    def cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
        elements = outputs[0].elements
        return OpFacts(
            kind=OpKind.VECTOR,
            flops=flops * elements,
            vector_work=work * elements,
            read_bytes=total_bytes(inputs),
            write_bytes=total_bytes(outputs),
        )

    return cost


def vector_per_operand(work: int) -> CostRule:
    """One pass that combines any number of operands: `work` for each output element and operand but one."""

    def cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
        steps = outputs[0].elements * max(1, len(inputs) - 1)
        return OpFacts(
            kind=OpKind.VECTOR,
            flops=steps,
            vector_work=work * steps,
            read_bytes=total_bytes(inputs),
            write_bytes=total_bytes(outputs),
        )

    return cost


def vector_per_input(work: int, flops: int = 1, *, with_row: bool = False) -> CostRule:
    """A pass whose work follows the first input: `work` and `flops` for each of its elements.

    `with_row`: the row is what one output element was reduced from.
    """

    def cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
        source = inputs[0]
        elements = source.elements if source is not None else outputs[0].elements
        return OpFacts(
            kind=OpKind.VECTOR,
            flops=flops * elements,
            vector_work=work * elements,
            row=elements // max(1, outputs[0].elements) if with_row else 0,
            read_bytes=total_bytes(inputs),
            write_bytes=total_bytes(outputs),
        )

    return cost


def move(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    """A copy that reads every operand once and writes the outputs once."""
    return OpFacts(kind=OpKind.MOVE, read_bytes=total_bytes(inputs), write_bytes=total_bytes(outputs))


def gather(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    """A copy that reads only what it writes, plus the indices: the rest of the source stays untouched."""
    written = total_bytes(outputs)
    return OpFacts(kind=OpKind.MOVE, read_bytes=written + total_bytes(inputs[1:]), write_bytes=written)


def generate(_node: Node, _inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    """A fill: nothing is read."""
    return OpFacts(kind=OpKind.MOVE, write_bytes=total_bytes(outputs))


def estimated(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    """An operator nobody described: a vector pass over its inputs and outputs."""
    elements = sum(t.elements for t in inputs if t is not None) + sum(t.elements for t in outputs)
    return OpFacts(
        kind=OpKind.VECTOR,
        flops=elements,
        vector_work=elements,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
        is_estimated=True,
    )
