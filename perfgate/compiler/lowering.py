"""Pass 12, lowering: kernels with operands, dependencies and origins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.conversion import CONVERSION, FREE_VIEW, LOAD, ROUND_TRIP, STORE
from perfgate.compiler.facts import KnownFacts, Work, steering_positions, work_of
from perfgate.compiler.identity import permutation
from perfgate.compiler.layout import PACKED
from perfgate.compiler.layouts import BLOCKED, RANK, rounded_up
from perfgate.compiler.opclass import BORDERS, CONVOLUTIONS, ELEMENTWISE, VIEWS
from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.placement import resident_tensors, updated_states
from perfgate.compiler.program import Access, Kernel, KernelKind, Pool
from perfgate.compiler.transfers import Emission
from perfgate.compiler.workgraph import NO_BUFFER
from perfgate.graph.ir import ITEM_BYTES
from perfgate.graph.ops.rows import OpKind

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

_ACTIVATIONS, _WEIGHTS, _HOST = Pool.ACTIVATIONS, Pool.WEIGHTS, Pool.HOST  # bound once, for every operand
_FREE, _MOVE, _VECTOR = OpKind.FREE, OpKind.MOVE, KernelKind.VECTOR
_KINDS = {
    OpKind.MATRIX: KernelKind.MATRIX,
    OpKind.VECTOR: KernelKind.VECTOR,
    OpKind.MOVE: KernelKind.LAYOUT,
}


class Lowering:
    """One walk over the final order; `emission` holds the result."""

    __slots__ = (
        "_config", "_device", "_known", "_loops", "_pads_channels", "_resident", "_states",
        "_work", "emission",
    )  # fmt: skip

    def __init__(
        self, work: WorkGraph, config: CompileConfig, device: Device, resident: frozenset[str]
    ) -> None:
        self._work = work
        self._config = config
        self._device = device
        self._pads_channels = device.native_layout == BLOCKED
        self._known: KnownFacts = {}
        self._loops: list[int] = []  # first kernel of each loop that is open
        self._states = updated_states(work)
        states = {name for pair in self._states.items() for name in pair}
        self._resident = resident | resident_tensors(work.graph.metadata) | states
        self.emission = Emission(work, device)

    def run(self) -> None:
        """Copy the inputs in, issue every kernel, copy the outputs back."""
        copies = not self._device.link.is_unified
        for value in self._work.inputs:
            if value.consumers or value.is_output:
                self._bring_in(value, copies=copies and value.name not in self._resident)
        for node in self._work.slots:
            if node is not None:
                self._lower(node)
        storage = self.emission.storage
        for value in self._work.outputs:
            is_here = value.buffer != NO_BUFFER and storage.pools[value.buffer] is not _HOST
            if copies and is_here and value.name not in self._resident:
                self.emission.copy_out(value)

    def _bring_in(self, value: WorkValue, *, copies: bool) -> None:
        storage = self.emission.storage
        value.buffer = storage.add(value, _ACTIVATIONS)
        if copies:
            self.emission.copy_in(value)
        else:
            storage.first[value.buffer] = 0  # its bytes are there before the first kernel

    def _lower(self, node: WorkNode) -> None:
        op = node.op
        if op in VIEWS or FREE_VIEW in node.notes:
            self._alias(node)
        elif op in BORDERS:
            self._border(node)
        elif op == ROUND_TRIP:
            self.emission.round_trip(node)
        elif op == CONVERSION:
            self.emission.convert(node)
        elif node.on_host:
            self._compute_on_host(node)
        else:
            self._compute(node)

    def _compute_on_host(self, node: WorkNode) -> None:
        for operand in node.inputs:
            if operand is not None and operand.buffer == NO_BUFFER:
                operand.buffer = self.emission.storage.add(operand, _WEIGHTS)
        self.emission.run_on_host(node)

    def _alias(self, node: WorkNode) -> None:
        """A view: another name for the same bytes."""
        operand = node.inputs[0]
        if operand is None:
            return
        if operand.buffer == NO_BUFFER:
            operand.buffer = self.emission.storage.add(operand, _WEIGHTS)
        result = node.outputs[0]
        result.buffer, result.writer = operand.buffer, operand.writer
        self._work.bury(node, ResidueKind.TOMBSTONE, f"{node.label} is a view of {operand.name}")

    def _border(self, node: WorkNode) -> None:
        """Into a loop values change hands; out of it the carried ones do, and stacked ones are written."""
        is_enter = node.op == "LoopEnter"
        carried = len(node.outputs) if is_enter else node.attributes.get("carried", 0)
        for position, value in enumerate(node.outputs[:carried]):
            self._hand_on(node.inputs[position] if position < len(node.inputs) else None, value)
        if is_enter:
            self._loops.append(len(self.emission.kernels))
        elif self._loops:
            self.emission.storage.extend_over_loop(self._loops.pop(), len(self.emission.kernels))
        if is_enter or carried >= len(node.outputs):
            self._work.bury(node, ResidueKind.TOMBSTONE, f"{node.label} only hands values on")
            return
        node.inputs, node.outputs = node.inputs[carried:], node.outputs[carried:]
        self._compute(node)

    def _hand_on(self, operand: WorkValue | None, value: WorkValue) -> None:
        storage = self.emission.storage
        if operand is None or operand.size < value.size:  # the counter of iterations has no bytes to hand on
            value.buffer = storage.add(value, _ACTIVATIONS)
            storage.first[value.buffer] = storage.last[value.buffer] = max(0, len(self.emission.kernels) - 1)
            return
        if operand.buffer == NO_BUFFER:
            operand.buffer = storage.add(operand, _WEIGHTS)
        value.buffer, value.writer = operand.buffer, operand.writer

    def _compute(self, node: WorkNode) -> None:
        work = work_of(node, self._known)
        if work.kind is _FREE:
            self._alias(node)
            return
        if self._pads_channels and node.op in CONVOLUTIONS and PACKED not in node.notes:
            self._pad_depth(work, node)
        if self._states and node.outputs[0].name in self._states:
            work.read_limit = 0  # the old places stay where they are
        reads, dependencies = self._reads(node, work)
        out = self.emission
        index = len(out.kernels)
        writes = self._writes(node, index, work)
        kind = _KINDS[work.kind]
        if kind is _VECTOR and node.op in ELEMENTWISE:
            self._allow_in_place(node)
        is_attention = node.notes.get("pattern") == "attention"
        out.kernels.append(
            Kernel(
                index, node.name, "Attention" if is_attention else node.op, kind,
                "attention" if is_attention else _variant(node), _compute_type(node),
                out.origins.owner(node), dependencies, reads, writes,
                work.m, work.n, work.k, work.count, work.macs, work.vector_work, work.row,
                is_estimated=node.sources[0].is_estimated, is_high_precision=self._is_precise(node),
                repeat=node.repeat, origin=out.origins.of(node),
            )
        )  # fmt: skip

    def _pad_depth(self, work: Work, node: WorkNode) -> None:
        """A blocked layout fills C up to C0 and the array multiplies the filling; MACs count the model's."""
        data = node.inputs[0]
        if data is None or len(data.shape) != RANK or node.attributes.get("group", 1) != 1:
            return
        channels = max(1, data.shape[1])
        item = ITEM_BYTES.get(node.dtype, 2)
        work.k = work.k // channels * rounded_up(channels, self._device.block_elements(item))

    def _reads(self, node: WorkNode, work: Work) -> tuple[tuple[Access, ...], tuple[int, ...]]:
        """Each outside operand once, padded to bursts, and the kernels that wrote them."""
        storage, burst = self.emission.storage, self.emission.burst
        steering = steering_positions(node)
        efficiencies = node.notes.get(LOAD)
        run = self._run(node)
        seen: list[int] = []
        reads: list[Access] = []
        writers: list[int] = []
        for position, operand in enumerate(node.inputs):
            if operand is None or (steering and position in steering):
                continue
            buffer = operand.buffer
            if buffer == NO_BUFFER:
                buffer = operand.buffer = storage.add(operand, _WEIGHTS)
            elif storage.pools[buffer] is _HOST:
                self.emission.bring_up(operand, node)
                buffer = operand.buffer
            if buffer in seen:
                continue
            seen.append(buffer)
            size = storage.sizes[buffer]
            if position == 0 and work.read_limit >= 0:
                size = min(size, work.read_limit)
            efficiency = 1.0 if efficiencies is None else efficiencies.get(operand.name, 1.0)
            if size:
                reads.append(Access(buffer, -(-size // burst) * burst, run, efficiency))
            writer = operand.writer
            if writer >= 0 and writer not in writers:
                writers.append(writer)
        index = len(self.emission.kernels)
        for buffer in seen:
            storage.touch(buffer, index)
        writers.sort()
        return tuple(reads), tuple(writers)

    def _writes(self, node: WorkNode, index: int, work: Work) -> tuple[Access, ...]:
        storage, burst = self.emission.storage, self.emission.burst
        efficiency = node.notes.get(STORE, 1.0) if node.notes else 1.0
        run = self._run(node) if work.kind is _MOVE else 0
        writes = []
        for value in node.outputs:
            operand = node.inputs[0] if value.name in self._states else None
            if operand is not None:
                value.buffer, size = operand.buffer, work.write_bytes
            else:
                value.buffer = storage.add(value, _ACTIVATIONS)
                size = storage.sizes[value.buffer]
            value.writer = index
            storage.touch(value.buffer, index)
            writes.append(Access(value.buffer, -(-size // burst) * burst, run, efficiency))
        return tuple(writes)

    def _run(self, node: WorkNode) -> int:
        """Contiguous bytes of a Transpose: what the last axis keeps together, else a block or half of it."""
        if node.op != "Transpose":
            return 0
        order = permutation(node)
        result, operand = node.outputs[0], node.inputs[0]
        item = ITEM_BYTES[result.dtype]
        if order and order[-1] == len(order) - 1:
            return result.shape[-1] * item
        burst = self.emission.burst
        last = operand.shape[-1] * item if operand is not None and operand.shape else 0
        is_aligned = bool(result.shape) and result.shape[-1] * item % burst == 0 and last % burst == 0
        return burst if is_aligned else burst // 2

    def _is_precise(self, node: WorkNode) -> bool:
        config = self._config
        if not config.precise_ops and not config.precise_nodes:
            return False
        if node.steps and node.steps[-1][1] == "inserted":
            return False
        parts = [(source.op, source.name) for source in node.sources]
        return any(op in config.precise_ops or name in config.precise_nodes for op, name in parts)

    def _allow_in_place(self, node: WorkNode) -> None:
        storage = self.emission.storage
        result = node.outputs[0].buffer
        size = storage.sizes[result]
        for operand in node.inputs:
            if operand is not None and not operand.is_constant and storage.sizes[operand.buffer] == size:
                storage.reusable[result] = operand.buffer
                return


def _compute_type(node: WorkNode) -> str:
    """Element type of the arithmetic; a comparison works in the type of what it compares."""
    if node.dtype and node.dtype != "bool":
        return node.dtype
    first = next((operand for operand in node.inputs if operand is not None), None)
    return first.dtype if first is not None else node.outputs[0].dtype


def _variant(node: WorkNode) -> str:
    """The operators of a kernel in order, so that another choice shows."""
    return "+".join([node.op, *[member.op for member in node.epilogue]]) if node.epilogue else node.op
