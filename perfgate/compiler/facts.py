"""Work of a node and of everything fused into it: products, vector work, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from perfgate.compiler.opclass import CONVOLUTIONS, NORMS, PRODUCTS, SENSITIVE_VECTOR, SOFTMAXES
from perfgate.graph.ops.costs import estimated
from perfgate.graph.ops.elementwise import BINARY, UNARY
from perfgate.graph.ops.rows import OpFacts, OpKind
from perfgate.graph.ops.table import TABLE

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkNode
    from perfgate.graph.ir import Node

_WORK: dict[str, int] = {op: weights[0] for op, weights in (*UNARY.items(), *BINARY.items())}
_WORK |= {"Where": 1, "Cast": 1, "CastLike": 1}

AS_SEEN = "as_seen"  # note: operands that the load path transposes, as the operator sees them, by position
# These read only what they write, plus indices; the rest of the operand stays untouched.
PARTIAL_READS = frozenset({"Gather", "GatherElements", "GatherND", "Slice", "Compress"})
UPDATES = frozenset({"TensorScatter"})  # these write only the new places, SIMULATOR section 11


KnownFacts: TypeAlias = "dict[tuple[Any, ...], OpFacts]"
_BY_SHAPE = CONVOLUTIONS | PRODUCTS | SENSITIVE_VECTOR | NORMS | SOFTMAXES


class Work:
    """Sum over a kernel; `m, n, k` are the anchor's, `count` makes them account for all MACs.

    `read_limit` bounds what is read of operand 0 (Gather, Slice): bytes, or -1 for all of it. `write_bytes`
    are those of an update in place.
    """

    __slots__ = ("count", "k", "kind", "m", "macs", "n", "read_limit", "row", "vector_work", "write_bytes")

    def __init__(self, kind: OpKind) -> None:
        self.kind = kind
        self.m = self.n = self.k = self.macs = self.vector_work = self.row = 0
        self.count = 1
        self.read_limit = -1
        self.write_bytes = 0


def work_of(node: WorkNode, known: KnownFacts) -> Work:
    """Work of a kernel: its anchor's, plus that of each fused member."""
    weight = _WORK.get(node.op)
    if weight is not None:
        work = Work(OpKind.VECTOR)
        work.vector_work = weight * node.outputs[0].elements
    else:
        facts = facts_of(node, known)
        work = Work(facts.kind)
        work.m, work.n, work.k, work.count = facts.m, facts.n, facts.k, facts.count
        work.macs, work.vector_work, work.row = facts.macs, facts.vector_work, facts.row
        if node.op in PARTIAL_READS:
            work.read_limit = facts.write_bytes
        elif node.op in UPDATES:
            work.write_bytes = facts.write_bytes
    for member in node.epilogue:
        weight = _WORK.get(member.op)
        if weight is not None:
            work.vector_work += weight * member.outputs[0].elements
        else:
            _add_member(work, member, known)
    return work


def _add_member(work: Work, member: WorkNode, known: KnownFacts) -> None:
    facts = facts_of(member, known)
    work.macs += facts.macs
    work.vector_work += facts.vector_work
    work.row = max(work.row, facts.row)
    single = work.m * work.n * work.k
    if facts.macs and single:
        work.count = -(-work.macs // single)


def facts_of(node: WorkNode, known: KnownFacts) -> OpFacts:
    """The op table's answer for a node; an operator outside it is a vector pass over operands and results.

    `known` keeps the answers for operators whose work follows from shapes and attributes: networks repeat.
    """
    if node.op not in _BY_SHAPE or node.notes or node.sources[0].is_estimated:
        return _facts(node)
    shapes = tuple([None if operand is None else operand.shape for operand in node.inputs])
    key = (node.op, node.outputs[0].shape, shapes, *node.attributes.items())
    try:
        facts = known.get(key)
    except TypeError:  # an attribute that cannot be a key: an array or a nested graph
        return _facts(node)
    if facts is None:
        facts = known[key] = _facts(node)
    return facts


def _facts(node: WorkNode) -> OpFacts:
    inputs = [None if operand is None else operand.tensor for operand in node.inputs]
    if node.notes and AS_SEEN in node.notes:
        for position, tensor in node.notes[AS_SEEN].items():
            inputs[position] = tensor
    outputs = [value.tensor for value in node.outputs]
    # A pass may have changed the attributes. The rules then read nothing else, and a work node has them.
    last = node.sources[-1]
    source = last if last.attributes is node.attributes else cast("Node", node)
    row = None if node.sources[0].is_estimated else TABLE.get(node.op)
    return estimated(source, inputs, outputs) if row is None else row.cost(source, inputs, outputs)


def steering_positions(node: WorkNode) -> tuple[int, ...]:
    """Positions of operands that no kernel reads: shapes, axes, pads."""
    if node.sources[0].is_estimated:
        return ()
    row = TABLE.get(node.op)
    return row.parameters if row is not None else ()
