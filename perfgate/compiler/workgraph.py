"""The mutable graph that passes rewrite: slotted nodes and values whose adjacency is always up to date.

It is built once from the frozen `Graph` and never copied. Constants keep no list of consumers: one scalar may
have thousands of them and no pass asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate.compiler.origin import Residue, ResidueKind
from perfgate.compiler.placement import host_scopes, is_below
from perfgate.graph.ir import ITEM_BYTES, Tensor, TensorKind

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph, Node

NO_BUFFER = -1

# Bound once: a member of an enum class costs five times a global, and every node pays for it.
_WEIGHT, _INPUT = TensorKind.WEIGHT, TensorKind.INPUT


class WorkValue:
    """A tensor during compilation.

    `layout` is the storage layout a pass has chosen ("" until then, and for tensors without one); `forms` are
    the same data in other layouts, by layout. `buffer` is filled in by lowering.
    """

    __slots__ = (
        "buffer", "consumers", "dtype", "forms", "is_constant", "is_input", "is_output",
        "layout", "name", "producer", "shape", "tensor", "value", "writer",
    )  # fmt: skip

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.name = tensor.name
        self.shape = tensor.shape
        self.dtype = tensor.dtype
        self.value: Any = tensor.value
        kind = tensor.kind
        self.is_constant = kind is _WEIGHT
        self.is_input = kind is _INPUT
        self.is_output = False
        self.producer: WorkNode | None = None
        self.consumers: list[WorkNode] = []
        self.layout = ""
        self.forms: dict[str, WorkValue] | None = None
        self.buffer = NO_BUFFER
        self.writer = NO_BUFFER  # index of the kernel that writes the buffer

    @property
    def elements(self) -> int:
        """Number of elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def size(self) -> int:
        """Unpadded bytes in the current element type."""
        count = ITEM_BYTES[self.dtype]
        for size in self.shape:
            count *= size
        return count


class WorkNode:
    """An operation, or a kernel grown out of several: `sources` are the model's nodes it stands for.

    `epilogue` are the nodes fused behind it, in order. `slot` is its position in `WorkGraph.slots`, -1 once
    removed. `steps` are (pass, kind) of what happened to it. `notes` carries what one pass tells a later one
    (DMA efficiencies, int8, small channels).
    """

    __slots__ = (
        "attributes", "dtype", "epilogue", "inputs", "name", "notes", "on_host", "op", "outputs", "repeat",
        "residual", "slot", "sources", "steps", "text",
    )  # fmt: skip

    def __init__(
        self, source: Node, inputs: list[WorkValue | None], outputs: list[WorkValue], slot: int
    ) -> None:
        # An operator of another domain may share its name with one that passes know, and nothing else.
        is_foreign = source.is_estimated and source.domain
        self.op = f"{source.domain}.{source.op}" if is_foreign else source.op
        self.name = source.name
        self.attributes = source.attributes
        self.dtype = ""  # element type it computes in; "" until the precision pass
        self.inputs = inputs
        self.outputs = outputs
        self.slot = slot
        self.repeat = source.repeat
        self.on_host = False
        self.sources: tuple[Node, ...] = (source,)
        self.epilogue: list[WorkNode] = []
        self.residual: WorkValue | None = None
        self.steps: tuple[tuple[str, str], ...] = ()
        self.notes: dict[str, Any] = {}
        self.text = ""  # of `where`, once asked for

    @property
    def label(self) -> str:
        """Operator and name, as the pass log writes it."""
        return f"{self.op} {self.name}"

    @property
    def where(self) -> str:
        """Source place and scope, as the pass log writes it."""
        if not self.text:
            source = self.sources[0]
            self.text = f"{source.place} {source.scope}"
        return self.text


def inserted(
    op: str, asker: WorkNode, operand: WorkValue, result: WorkValue, step: tuple[str, str]
) -> WorkNode:
    """A node that a pass adds because `asker` needs `result`; the asker owns it."""
    node = WorkNode(asker.sources[0], [operand], [result], NO_BUFFER)
    node.op, node.name, node.attributes = op, result.name, {}
    node.steps = (step,)
    node.repeat = asker.repeat
    result.producer = node
    return node


def share_kernel(left: WorkNode, right: WorkNode) -> bool:
    """The two may be one kernel: no border of a loop and no host link lies between them."""
    return left.repeat == right.repeat and left.on_host == right.on_host


class WorkGraph:
    """All nodes in topological order (`slots`, None where one was removed) and all values by name.

    `residues` say what became of the model's nodes that end in no kernel.
    """

    __slots__ = ("by_op", "graph", "inputs", "outputs", "positions", "residues", "slots", "values")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        values = {name: WorkValue(tensor) for name, tensor in graph.tensors.items()}
        self.values = values
        self.slots: list[WorkNode | None] = []
        self.by_op: dict[str, list[WorkNode]] = {}
        self.residues: list[Residue] = []
        # Two nodes may share a number in the model (inlined functions), so the position is kept by identity.
        self.positions: dict[int, int] = {}
        for node in graph.nodes:
            self.positions[id(node)] = len(self.slots)
            self._append(node)
        self.inputs = [values[name] for name in graph.inputs]
        self.outputs = [values[name] for name in graph.outputs]
        for value in self.outputs:
            value.is_output = True
        scopes = host_scopes(graph.metadata)
        if scopes:
            self.place_on_host(scopes)

    def _append(self, node: Node) -> None:
        values = self.values
        inputs = [values[name] if name else None for name in node.inputs]
        outputs = [values[name] for name in node.outputs if name]
        work = WorkNode(node, inputs, outputs, len(self.slots))
        self.slots.append(work)
        for operand in inputs:
            if operand is not None and not operand.is_constant:
                operand.consumers.append(work)
        for result in outputs:
            result.producer = work
        op = node.op
        group = self.by_op.get(op)
        if group is None:
            self.by_op[op] = [work]
        else:
            group.append(work)

    def place_on_host(self, scopes: tuple[str, ...]) -> None:
        """Mark the nodes of these scopes and below as work of the CPU."""
        for node in self.nodes():
            node.on_host = is_below(node.sources[0].scope, scopes)

    def nodes(self) -> list[WorkNode]:
        """The nodes that are left, in order."""
        return [node for node in self.slots if node is not None]

    def of(self, op: str) -> list[WorkNode]:
        """The nodes with this operator that are left, in order."""
        return [node for node in self.by_op.get(op, ()) if node.slot >= 0 and node.op == op]

    def new_value(
        self, name: str, shape: tuple[int, ...], dtype: str, *, constant: bool = False
    ) -> WorkValue:
        """A value that a pass invents; a taken name gets a number, so names stay unique."""
        unique, number = name, 1
        while unique in self.values:
            number += 1
            unique = f"{name}.{number}"
        kind = TensorKind.WEIGHT if constant else TensorKind.ACTIVATION
        value = WorkValue(Tensor(unique, shape, dtype, kind))
        self.values[unique] = value
        return value

    def remove(self, node: WorkNode) -> None:
        """Take a node out of order and adjacency; its outputs must have no users left."""
        self.slots[node.slot] = None
        node.slot = -1
        for operand in node.inputs:
            if operand is not None and not operand.is_constant:
                operand.consumers.remove(node)

    def redirect(self, old: WorkValue, new: WorkValue) -> None:
        """Let every user of `old` read `new` instead."""
        for consumer in old.consumers:
            consumer.inputs = [new if operand is old else operand for operand in consumer.inputs]
            if consumer.residual is old:
                consumer.residual = new
        if not new.is_constant:
            new.consumers.extend(old.consumers)
        old.consumers = []

    def bury(self, node: WorkNode, kind: ResidueKind, text: str) -> None:
        """Remember what became of the model's nodes behind a removed one."""
        for source in node.sources:
            self.residues.append(Residue(self.positions[id(source)], kind, text))

    def absorb(self, anchor: WorkNode, member: WorkNode, inner: WorkValue, *, step: tuple[str, str]) -> None:
        """Fuse `member`, which reads `inner` from `anchor`, into it; the fused node moves to the later slot.

        The later slot, because the member's other operands may be computed between the two.
        """
        for operand in member.inputs:
            if operand is None or operand is inner:
                continue
            anchor.inputs.append(operand)
            if not operand.is_constant:
                users = operand.consumers
                users[users.index(member)] = anchor
        anchor.outputs = member.outputs
        for result in member.outputs:
            result.producer = anchor
        anchor.sources += member.sources
        anchor.epilogue.append(member)
        anchor.steps += (*member.steps, step)
        self.slots[anchor.slot] = None
        anchor.slot = member.slot
        self.slots[anchor.slot] = anchor
        member.slot = -1

    def reorder(self, order: list[WorkNode]) -> None:
        """Take a new order of nodes, with those that a pass inserted."""
        self.slots = list(order)
        for slot, node in enumerate(order):
            node.slot = slot

    def dissolve(self) -> None:
        """Cut the references between nodes and values, so that they are freed without the cycle collector."""
        for value in self.values.values():
            value.producer = None
            value.consumers = []
            value.forms = None
