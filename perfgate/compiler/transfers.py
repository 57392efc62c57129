"""Kernels that move bytes: copies over the host link, layout kernels, round trips, operators on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.conversion import CONVERSION, EFFICIENCY
from perfgate.compiler.layouts import padded_form_bytes, stored_bytes
from perfgate.compiler.origins import OriginTable
from perfgate.compiler.passnames import LOWER
from perfgate.compiler.program import Access, Kernel, KernelKind, Pool
from perfgate.compiler.storage import Storage
from perfgate.compiler.workgraph import NO_BUFFER

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

NOBODY = -1  # owner of a copy that no node of the model uses


class Emission:
    """The program as it grows: kernels in issue order, their buffers and origins."""

    __slots__ = ("burst", "device", "kernels", "on_host", "origins", "storage")

    def __init__(self, work: WorkGraph, device: Device) -> None:
        self.device = device
        self.burst = device.dma.burst_bytes
        self.kernels: list[Kernel] = []
        self.storage = Storage(device)
        self.origins = OriginTable(work)
        self.on_host: dict[
            int, tuple[int, int]
        ] = {}  # device buffer -> host buffer and the kernel that wrote it

    def padded(self, buffer: int) -> int:
        """Bytes of a buffer as moved: whole bursts."""
        return -(-self.storage.sizes[buffer] // self.burst) * self.burst

    def copy_in(self, value: WorkValue) -> None:
        """Copy a model input to the device; the model asks for it, so it is not implicit."""
        owner = self.origins.owner(value.consumers[0]) if value.consumers else NOBODY
        value.writer = self._copy(KernelKind.H2D, value, owner)

    def copy_out(self, value: WorkValue) -> None:
        """Copy a model output to the host."""
        owner = self.origins.owner(value.producer) if value.producer is not None else NOBODY
        self._copy(KernelKind.D2H, value, owner)

    def _copy(self, kind: KernelKind, value: WorkValue, owner: int) -> int:
        index = len(self.kernels)
        size = self.storage.sizes[value.buffer]
        access = (Access(value.buffer, size),)
        is_in = kind is KernelKind.H2D
        self.storage.touch(value.buffer, index)
        self.kernels.append(
            Kernel(
                index, f"{value.name}:{kind}", "Copy", kind, str(kind), value.dtype, owner,
                () if is_in else _writer(value), () if is_in else access, access if is_in else (),
                link_bytes=size, origin=self.origins.of_owner(owner, (LOWER, "inserted")),
            )
        )  # fmt: skip
        return index

    def convert(self, node: WorkNode) -> None:
        """A layout kernel: it moves in runs of one DMA block."""
        operand, result = node.inputs[0], node.outputs[0]
        if operand is None:
            return
        efficiency, (source, target) = node.notes[EFFICIENCY], node.notes["pair"]
        index = len(self.kernels)
        result.buffer, result.writer = self.storage.add(result, Pool.ACTIVATIONS), index
        if efficiency < 1.0:  # such a route pads first: the padded form is the kernel's own memory
            size = padded_form_bytes(operand, self.burst)
            self.storage.touch(self.storage.add_raw(f"{node.name}:padded", size, Pool.WORKSPACE, ""), index)
        read, write = (
            Access(value.buffer, self.padded(value.buffer), self.burst, efficiency)
            for value in (operand, result)
        )
        self.storage.touch(operand.buffer, index)
        self.storage.touch(result.buffer, index)
        self.kernels.append(
            Kernel(
                index, node.name, CONVERSION, KernelKind.LAYOUT, f"{source}->{target}", node.dtype,
                self.origins.owner(node), _writer(operand), (read,), (write,),
                implicit=True, repeat=node.repeat, origin=self.origins.of(node),
            )
        )  # fmt: skip

    def round_trip(self, node: WorkNode) -> None:
        """Device to host, reorder on the CPU, host to device: three kernels, none of them asked for."""
        operand, result = node.inputs[0], node.outputs[0]
        if operand is None:
            return
        storage = self.storage
        source, target = node.notes["pair"]
        size_out, size_in = storage.sizes[operand.buffer], stored_bytes(result, target, self.device)
        here = storage.add_raw(f"{operand.name}:host", size_out, Pool.HOST, source)
        there = storage.add_raw(f"{result.name}:host", size_in, Pool.HOST, target)
        result.buffer = storage.add(result, Pool.ACTIVATIONS)
        first = len(self.kernels)
        result.writer = first + 2
        steps = (
            (KernelKind.D2H, "Copy", (operand.buffer, size_out), (here, size_out), size_out, 0),
            (KernelKind.HOST, "Reorder", (here, size_out), (there, size_in), 0, operand.elements),
            (KernelKind.H2D, "Copy", (there, size_in), (result.buffer, size_in), size_in, 0),
        )
        origin, owner = self.origins.of(node), self.origins.owner(node)
        for index, (kind, op, read, write, link_bytes, elements) in enumerate(steps, first):
            storage.touch(read[0], index)
            storage.touch(write[0], index)
            self.kernels.append(
                Kernel(
                    index, f"{node.name}:{kind}", op, kind, f"{source}->{target}", node.dtype, owner,
                    (index - 1,) if index > first else _writer(operand),
                    (Access(*read),), (Access(*write),), elements=elements,
                    link_bytes=link_bytes, implicit=True, repeat=node.repeat, origin=origin,
                )
            )  # fmt: skip

    def run_on_host(self, node: WorkNode) -> None:
        """An operator the model keeps on the CPU: operands come down, results go up where they are needed."""
        origin, owner = self.origins.of(node), self.origins.owner(node)
        reads, dependencies, elements = [], [], 0
        for operand in node.inputs:
            if operand is None or operand.is_constant:
                continue
            buffer, writer = self._brought_down(operand, (origin, owner))
            reads.append(Access(buffer, self.storage.sizes[buffer]))
            dependencies.append(writer)
            elements += operand.elements
        index = len(self.kernels)
        writes = []
        for value in node.outputs:
            value.buffer, value.writer = self.storage.add_raw(value.name, value.size, Pool.HOST, ""), index
            writes.append(Access(value.buffer, value.size))
        for access in (*reads, *writes):
            self.storage.touch(access.buffer, index)
        self.kernels.append(
            Kernel(
                index, node.name, node.op, KernelKind.HOST, node.op, node.dtype, owner,
                tuple(sorted(set(dependencies))), tuple(reads), tuple(writes),
                elements=elements, repeat=node.repeat, origin=origin,
            )
        )  # fmt: skip

    def _brought_down(self, value: WorkValue, place: tuple[int, int]) -> tuple[int, int]:
        """The value's bytes on the host and the kernel that put them there; copied once however many ask."""
        if self.storage.pools[value.buffer] is Pool.HOST:
            return value.buffer, value.writer
        known = self.on_host.get(value.buffer)
        if known is not None:
            return known
        size = self.storage.sizes[value.buffer]
        buffer = self.storage.add_raw(f"{value.name}:host", size, Pool.HOST, value.layout)
        index = self._move(KernelKind.D2H, value, (value.buffer, buffer), place)
        self.on_host[value.buffer] = (buffer, index)
        return buffer, index

    def bring_up(self, value: WorkValue, asker: WorkNode) -> None:
        """Copy a result of a host operator to the device, where a kernel reads it."""
        here = value.buffer
        buffer = self.storage.add_raw(value.name, value.size, Pool.ACTIVATIONS, "")
        place = (self.origins.of(asker), self.origins.owner(asker))
        value.writer = self._move(KernelKind.H2D, value, (here, buffer), place)
        value.buffer = buffer

    def _move(self, kind: KernelKind, value: WorkValue, ends: tuple[int, int], place: tuple[int, int]) -> int:
        index, size = len(self.kernels), self.storage.sizes[ends[0]]
        for buffer in ends:
            self.storage.touch(buffer, index)
        origin, owner = place
        self.kernels.append(
            Kernel(
                index, f"{value.name}:{kind}", "Copy", kind, str(kind), value.dtype, owner, _writer(value),
                (Access(ends[0], size),), (Access(ends[1], size),), link_bytes=size, origin=origin,
            )
        )  # fmt: skip
        return index


def _writer(value: WorkValue) -> tuple[int, ...]:
    return () if value.writer == NO_BUFFER else (value.writer,)
