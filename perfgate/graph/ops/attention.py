"""Attention as one operator, rotary embedding, and products written as an index equation (Einsum)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.costs import move, total_bytes, vector
from perfgate.graph.ops.elementwise import same
from perfgate.graph.ops.matrix import matrix_facts
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Shape, Site, product
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

SPLIT_RANK = 4  # batch, heads, length, size; rank 3 keeps the heads inside the last axis
SOFTMAX_WORK = 15
TWO_OPERANDS = 2
PAST_KEY = 4  # inputs: query, key, value, mask, past key, past value


def _heads(shape: Shape, heads: int, name: str) -> Shape:
    if len(shape) == SPLIT_RANK:
        return shape
    if len(shape) != SPLIT_RANK - 1 or heads < 1 or shape[2] % heads:
        raise mismatch(f"{name} {list(shape)} does not split into {heads} heads")
    return (shape[0], heads, shape[1], shape[2] // heads)


def _sizes(attributes: dict[str, int], operands: list[Tensor | None]) -> tuple[Shape, Shape, Shape]:
    """Query, key and value as batch, heads, length, size; the past is part of key and value."""
    query, key, value = operands[0], operands[1], operands[2]
    if query is None or key is None or value is None:
        raise mismatch("Attention needs query, key and value")
    kv_heads = attributes.get("kv_num_heads", 0)
    q = _heads(query.shape, attributes.get("q_num_heads", 0), "query")
    k, v = _heads(key.shape, kv_heads, "key"), _heads(value.shape, kv_heads, "value")
    past_key = operands[PAST_KEY] if len(operands) > PAST_KEY else None
    if past_key is not None:
        past = past_key.shape[2]
        k, v = (*k[:2], k[2] + past, k[3]), (*v[:2], v[2] + past, v[3])
    if q[3] != k[3] or k[2] != v[2] or k[1] != v[1] or (k[1] and q[1] % k[1]) or q[0] != k[0]:
        raise mismatch(
            f"query {list(q)}, key {list(k)} and value {list(v)} (batch, heads, length, size) do not fit"
        )
    return q, k, v


def _attention(site: Site) -> list[Result]:
    query = site.tensor(0)
    q, k, v = _sizes(site.attributes, site.inputs)
    if len(query.shape) == SPLIT_RANK:
        shape: Shape = (q[0], q[1], q[2], v[3])
    else:
        shape = (q[0], q[2], q[1] * v[3])
    scores = (q[0], q[1], q[2], k[2])
    return [(shape, query.dtype), (k, query.dtype), (v, query.dtype), (scores, query.dtype)][: site.outputs]


def _attention_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    q, k, v = _sizes(node.attributes, inputs)
    count, rows, columns = q[0] * q[1], q[2], k[2]
    macs = count * rows * columns * (q[3] + v[3])
    scores = count * rows * columns
    return OpFacts(
        kind=OpKind.MATRIX,
        macs=macs,
        flops=2 * macs + 5 * scores,
        vector_work=SOFTMAX_WORK * scores,
        m=rows,
        n=columns,
        k=q[3] + v[3],
        count=count,
        row=columns,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
    )


class _Equation:
    """Index labels of an Einsum with their sizes; "..." becomes numbered labels."""

    __slots__ = ("operands", "result", "sizes")

    def __init__(self, text: str, shapes: list[Shape]) -> None:
        left, arrow, right = text.replace(" ", "").partition("->")
        terms = left.split(",")
        if len(terms) != len(shapes):
            raise mismatch(f"equation '{text}' names {len(terms)} operands, the node has {len(shapes)}")
        extra = max(
            (len(s) - len(t.replace("...", "")) for t, s in zip(terms, shapes, strict=True) if "..." in t),
            default=0,
        )
        self.sizes: dict[str, int] = {}
        self.operands = [
            self._labels(term, shape, extra, text) for term, shape in zip(terms, shapes, strict=True)
        ]
        dots = [str(index) for index in range(extra)]
        if arrow:
            self.result = self._expanded(right, dots)
        else:
            flat = [label for labels in self.operands for label in labels]
            self.result = dots + sorted(
                label for label in set(flat) if flat.count(label) == 1 and label.isalpha()
            )
        if any(label not in self.sizes for label in self.result):
            raise mismatch(f"equation '{text}' has a result index that no operand has")

    def _expanded(self, term: str, dots: list[str]) -> list[str]:
        before, found, after = term.partition("...")
        return [*before, *(dots if found else []), *after]

    def _labels(self, term: str, shape: Shape, extra: int, text: str) -> list[str]:
        count = len(shape) - len(term.replace("...", ""))
        # Dots align at the last axis, as broadcasting does, so an operand with fewer skips the first numbers.
        dots = [str(index) for index in range(extra - count, extra)]
        labels = self._expanded(term, dots) if "..." in term else list(term)
        if len(labels) != len(shape):
            raise mismatch(f"equation '{text}': '{term}' does not fit {list(shape)}")
        for label, size in zip(labels, shape, strict=True):
            known = self.sizes.setdefault(label, size)
            if known not in {size, 1} and size != 1:
                raise mismatch(f"equation '{text}': index '{label}' is {known} and {size}")
            self.sizes[label] = max(known, size)
        return labels

    def extent(self, labels: set[str]) -> int:
        """Product of the sizes of some indices."""
        return product(tuple(self.sizes[label] for label in labels))


def _einsum(site: Site) -> list[Result]:
    operands = [site.tensor(position) for position in range(len(site.inputs))]
    equation = _Equation(site.attributes.get("equation", ""), [tensor.shape for tensor in operands])
    return [(tuple(equation.sizes[label] for label in equation.result), operands[0].dtype)]


def _einsum_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    present = [tensor for tensor in inputs if tensor is not None]
    equation = _Equation(node.attributes.get("equation", ""), [tensor.shape for tensor in present])
    if len(present) < TWO_OPERANDS:
        return move(node, inputs, outputs)
    result = set(equation.result)
    left, right = set(equation.operands[0]), set().union(*map(set, equation.operands[1:]))
    shared = left & right
    size = (
        equation.extent((left - right) & result),
        equation.extent((right - left) & result),
        equation.extent((left | right) - result),
        equation.extent(shared & result),
    )
    return matrix_facts(inputs, outputs, size)


ROWS: dict[str, Row] = {
    "Attention": Row(shape=_attention, cost=_attention_cost),
    "Einsum": Row(shape=_einsum, cost=_einsum_cost),
    "RotaryEmbedding": Row(shape=same, cost=vector(3, 3)),
}
