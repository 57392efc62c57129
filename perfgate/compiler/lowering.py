"""Pass 12, lowering: kernels with operands, dependencies and origins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfgate.compiler.conversion import CONVERSION, EFFICIENCY, FREE_VIEW, LOAD, ROUND_TRIP, STORE
from perfgate.compiler.facts import Work, steering_positions, work_of
from perfgate.compiler.identity import permutation
from perfgate.compiler.layout import PACKED
from perfgate.compiler.layouts import BLOCKED, RANK, rounded_up, stored_bytes
from perfgate.compiler.opclass import BORDERS, CONVOLUTIONS, ELEMENTWISE, VIEWS
from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.origins import OriginTable
from perfgate.compiler.passnames import LOWER
from perfgate.compiler.program import Access, Kernel, KernelKind, Pool
from perfgate.compiler.storage import Storage
from perfgate.compiler.workgraph import NO_BUFFER
from perfgate.graph.ir import ITEM_BYTES
from perfgate.graph.ops.rows import OpKind

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

_KINDS = {OpKind.MATRIX: KernelKind.MATRIX, OpKind.VECTOR: KernelKind.VECTOR, OpKind.MOVE: KernelKind.LAYOUT}


def resident_tensors(metadata: dict[str, str]) -> frozenset[str]:
    """Inputs and outputs that stay on the device between executions, by the model's entry `resident`.

    A JSON list of tensor names, for example the cache of a decoder. An entry of another form counts as none.
    """
    try:
        names = json.loads(metadata.get("resident", "[]"))
    except ValueError:
        return frozenset()
    return frozenset(str(name) for name in names) if isinstance(names, list) else frozenset()


def _variant(node: WorkNode) -> str:
    """The operators of a kernel in order, so that another choice shows."""
    return "+".join([node.op, *[member.op for member in node.epilogue]]) if node.epilogue else node.op


class Lowering:
    """One walk over the final order; `kernels`, `storage` and `origins` are the result."""

    __slots__ = (
        "_burst",
        "_config",
        "_device",
        "_loops",
        "_pads_channels",
        "_resident",
        "_work",
        "kernels",
        "origins",
        "storage",
    )

    def __init__(
        self, work: WorkGraph, config: CompileConfig, device: Device, resident: frozenset[str]
    ) -> None:
        self._work = work
        self._config = config
        self._device = device
        self._burst = device.dma.burst_bytes
        self._pads_channels = device.native_layout == BLOCKED
        self._loops: list[int] = []  # first kernel of each loop that is open
        self._resident = resident | resident_tensors(work.graph.metadata)
        self.kernels: list[Kernel] = []
        self.storage = Storage(device)
        self.origins = OriginTable(work)

    def run(self) -> None:
        """Copy the inputs in, issue every kernel, copy the outputs back."""
        copies = not self._device.link.is_unified
        for value in self._work.inputs:
            self._bring_in(value, copies=copies)
        for node in self._work.slots:
            if node is not None:
                self._lower(node)
        if copies:
            for value in self._work.outputs:
                self._bring_out(value)

    def _bring_in(self, value: WorkValue, *, copies: bool) -> None:
        if not value.consumers and not value.is_output:
            return
        value.buffer = self.storage.add(value, Pool.ACTIVATIONS)
        if not copies or value.name in self._resident:
            self.storage.first[value.buffer] = 0  # its bytes are there before the first kernel
            return
        user = value.consumers[0] if value.consumers else None
        size = self.storage.sizes[value.buffer]
        self._issue_copy(KernelKind.H2D, value, size, -1 if user is None else self.origins.owner(user))
        value.writer = len(self.kernels) - 1

    def _bring_out(self, value: WorkValue) -> None:
        if value.buffer == NO_BUFFER or value.name in self._resident:
            return
        owner = self.origins.owner(value.producer) if value.producer is not None else -1
        self._issue_copy(KernelKind.D2H, value, self.storage.sizes[value.buffer], owner)

    def _issue_copy(self, kind: KernelKind, value: WorkValue, size: int, owner: int) -> None:
        """A copy that the model's own inputs and outputs cause: explicit, not implicit."""
        index = len(self.kernels)
        access = (Access(value.buffer, size),)
        is_in = kind is KernelKind.H2D
        dependencies = () if is_in or value.writer == NO_BUFFER else (value.writer,)
        self.storage.touch(value.buffer, index)
        self.kernels.append(
            Kernel(
                index, f"{value.name}:{kind}", "Copy", kind, str(kind), value.dtype, owner, dependencies,
                () if is_in else access, access if is_in else (), link_bytes=size,
                origin=self.origins.of_owner(owner, (LOWER, "inserted")),
            )
        )  # fmt: skip

    def _lower(self, node: WorkNode) -> None:
        op = node.op
        if op in VIEWS or FREE_VIEW in node.notes:
            self._alias(node)
        elif op in BORDERS:
            self._border(node)
        elif op == ROUND_TRIP:
            self._round_trip(node)
        elif op == CONVERSION:
            self._conversion(node)
        else:
            self._compute(node)

    def _alias(self, node: WorkNode) -> None:
        """A view: another name for the same bytes."""
        operand = node.inputs[0]
        if operand is None:
            return
        if operand.buffer == NO_BUFFER:
            operand.buffer = self.storage.add(operand, Pool.WEIGHTS)
        result = node.outputs[0]
        result.buffer, result.writer = operand.buffer, operand.writer
        self._work.bury(node, ResidueKind.TOMBSTONE, f"{node.label} is a view of {operand.name}")

    def _border(self, node: WorkNode) -> None:
        """Into a loop values change hands; out of it the carried ones do, and stacked ones are written."""
        storage = self.storage
        is_enter = node.op == "LoopEnter"
        carried = len(node.outputs) if is_enter else node.attributes.get("carried", 0)
        stacked = []
        for position, value in enumerate(node.outputs):
            operand = node.inputs[position] if position < len(node.inputs) else None
            if position >= carried:
                stacked.append((operand, value))
                continue
            if operand is not None and operand.buffer == NO_BUFFER:
                operand.buffer = storage.add(operand, Pool.WEIGHTS)
            has_bytes = operand is not None and operand.size >= value.size
            value.buffer = (
                operand.buffer if operand is not None and has_bytes else storage.add(value, Pool.ACTIVATIONS)
            )
            value.writer = operand.writer if operand is not None and has_bytes else NO_BUFFER
        if is_enter:
            self._loops.append(len(self.kernels))
            self._work.bury(node, ResidueKind.TOMBSTONE, f"{node.label} only hands values on")
            return
        if self._loops:
            storage.extend_over_loop(self._loops.pop(), len(self.kernels))
        if not stacked:
            self._work.bury(node, ResidueKind.TOMBSTONE, f"{node.label} only hands values on")
            return
        node.inputs = [operand for operand, _ in stacked]
        node.outputs = [value for _, value in stacked]
        self._compute(node)

    def _compute(self, node: WorkNode) -> None:
        work = work_of(node)
        if work.kind is OpKind.FREE:
            self._alias(node)
            return
        if self._pads_channels and node.op in CONVOLUTIONS and PACKED not in node.notes:
            self._pad_depth(work, node)
        reads, dependencies = self._reads(node, work)
        index = len(self.kernels)
        writes = self._writes(node, index, work)
        kind = _KINDS[work.kind]
        source = node.sources[0]
        if kind is KernelKind.VECTOR and node.op in ELEMENTWISE:
            self._allow_in_place(node)
        is_attention = node.notes.get("pattern") == "attention"
        self.kernels.append(
            Kernel(
                index, node.name, "Attention" if is_attention else node.op, kind,
                "attention" if is_attention else _variant(node), node.dtype,
                self.origins.owner(node), dependencies, reads, writes,
                work.m, work.n, work.k, work.count, work.macs, work.vector_work, work.row,
                is_estimated=source.is_estimated, is_high_precision=self._is_precise(node),
                repeat=node.repeat, origin=self.origins.of(node),
            )
        )  # fmt: skip

    def _pad_depth(self, work: Work, node: WorkNode) -> None:
        """A blocked layout fills C up to C0 and the array multiplies the filling; MACs count the model's."""
        data = node.inputs[0]
        if data is None or len(data.shape) != RANK or node.attributes.get("group", 1) != 1:
            return
        channels = data.shape[1]
        item = ITEM_BYTES.get(node.dtype, 2)
        work.k = work.k // channels * rounded_up(channels, self._device.block_elements(item))

    def _reads(self, node: WorkNode, work: Work) -> tuple[tuple[Access, ...], tuple[int, ...]]:
        """Each outside operand once, padded to bursts, and the kernels that wrote them."""
        storage, burst = self.storage, self._burst
        steering = steering_positions(node)
        efficiencies = node.notes.get(LOAD)
        run = self._run(node)
        seen: list[int] = []
        reads: list[Access] = []
        writers: list[int] = []
        index = len(self.kernels)
        for position, operand in enumerate(node.inputs):
            if operand is None or (steering and position in steering):
                continue
            buffer = operand.buffer
            if buffer == NO_BUFFER:
                buffer = operand.buffer = storage.add(operand, Pool.WEIGHTS)
            if buffer in seen:
                continue
            seen.append(buffer)
            size = storage.sizes[buffer]
            if work.read_limit >= 0 and position == 0:
                size = min(size, work.read_limit)
            size = -(-size // burst) * burst
            efficiency = 1.0 if efficiencies is None else efficiencies.get(operand.name, 1.0)
            reads.append(Access(buffer, size, run, efficiency))
            storage.last[buffer] = index
            writer = operand.writer
            if writer >= 0 and writer not in writers:
                writers.append(writer)
        if len(writers) > 1:
            writers.sort()
        return tuple(reads), tuple(writers)

    def _writes(self, node: WorkNode, index: int, work: Work) -> tuple[Access, ...]:
        storage, burst = self.storage, self._burst
        efficiency = node.notes.get(STORE, 1.0) if node.notes else 1.0
        run = self._run(node) if work.kind is OpKind.MOVE else 0
        writes = []
        for value in node.outputs:
            buffer = value.buffer = storage.add(value, Pool.ACTIVATIONS)
            value.writer = index
            storage.touch(buffer, index)
            writes.append(Access(buffer, -(-storage.sizes[buffer] // burst) * burst, run, efficiency))
        return tuple(writes)

    def _run(self, node: WorkNode) -> int:
        """Contiguous bytes of a Transpose: what the last axis keeps together, else a block or half of it."""
        if node.op != "Transpose":
            return 0
        order = permutation(node)
        result = node.outputs[0]
        item = ITEM_BYTES[result.dtype]
        if order and order[-1] == len(order) - 1:
            return result.shape[-1] * item
        operand = node.inputs[0]
        last = operand.shape[-1] * item if operand is not None and operand.shape else 0
        is_aligned = result.shape[-1] * item % self._burst == 0 and last % self._burst == 0
        return self._burst if is_aligned else self._burst // 2

    def _is_precise(self, node: WorkNode) -> bool:
        config = self._config
        if not config.precise_ops and not config.precise_nodes:
            return False
        if node.steps and node.steps[-1][1] == "inserted":
            return False
        parts = [(source.op, source.name) for source in node.sources]
        return any(op in config.precise_ops or name in config.precise_nodes for op, name in parts)

    def _allow_in_place(self, node: WorkNode) -> None:
        result = node.outputs[0].buffer
        size = self.storage.sizes[result]
        for operand in node.inputs:
            if operand is not None and not operand.is_constant and self.storage.sizes[operand.buffer] == size:
                self.storage.reusable[result] = operand.buffer
                return

    def _conversion(self, node: WorkNode) -> None:
        """A layout kernel: it moves in runs of one DMA block."""
        operand, result = node.inputs[0], node.outputs[0]
        if operand is None:
            return
        efficiency = node.notes[EFFICIENCY]
        index = len(self.kernels)
        source, target = node.notes["pair"]
        result.buffer = self.storage.add(result, Pool.ACTIVATIONS)
        result.writer = index
        self.storage.touch(operand.buffer, index)
        self.storage.touch(result.buffer, index)
        self.kernels.append(
            Kernel(
                index, node.name, CONVERSION, KernelKind.LAYOUT, f"{source}->{target}", node.dtype,
                self.origins.owner(node), (operand.writer,) if operand.writer >= 0 else (),
                (self._block_access(operand, efficiency),), (self._block_access(result, efficiency),),
                implicit=True, repeat=node.repeat, origin=self.origins.of(node),
            )
        )  # fmt: skip

    def _block_access(self, value: WorkValue, efficiency: float) -> Access:
        size = self.storage.sizes[value.buffer]
        return Access(value.buffer, -(-size // self._burst) * self._burst, self._burst, efficiency)

    def _round_trip(self, node: WorkNode) -> None:
        """Device to host, reorder on the CPU, host to device: three kernels, none of them asked for."""
        operand, result = node.inputs[0], node.outputs[0]
        if operand is None:
            return
        source, target = node.notes["pair"]
        size_out = self.storage.sizes[operand.buffer]
        size_in = stored_bytes(result, target, self._device)
        here = self.storage.add_raw(f"{operand.name}:host", size_out, Pool.HOST, source)
        there = self.storage.add_raw(f"{result.name}:host", size_in, Pool.HOST, target)
        result.buffer = self.storage.add(result, Pool.ACTIVATIONS)
        first = len(self.kernels)
        result.writer = first + 2
        steps = (
            (KernelKind.D2H, "Copy", (operand.buffer, size_out), (here, size_out), size_out, 0),
            (KernelKind.HOST, "Reorder", (here, size_out), (there, size_in), 0, operand.elements),
            (KernelKind.H2D, "Copy", (there, size_in), (result.buffer, size_in), size_in, 0),
        )
        origin, owner = self.origins.of(node), self.origins.owner(node)
        for offset, (kind, op, read, write, link_bytes, elements) in enumerate(steps):
            index = first + offset
            before = (index - 1,) if offset else ((operand.writer,) if operand.writer >= 0 else ())
            self.storage.touch(read[0], index)
            self.storage.touch(write[0], index)
            self.kernels.append(
                Kernel(
                    index, f"{node.name}:{kind}", op, kind, f"{source}->{target}", node.dtype,
                    owner, before, (Access(*read),), (Access(*write),),
                    elements=elements, link_bytes=link_bytes, implicit=True,
                    repeat=node.repeat, origin=origin,
                )
            )  # fmt: skip
