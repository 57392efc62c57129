"""Does the program fit the device and the reserved arena."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.memory_report import report_memory
from perfgate.compiler.passnames import MEMORY
from perfgate.compiler.program import Pool
from perfgate.core.errors import UsageError
from perfgate.core.units import readable

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.program import Buffer, Program
    from perfgate.core.device import Device

_TOP = 3


class OutOfMemoryError(UsageError):
    """The program needs more device memory than there is."""


def check_capacity(program: Program, device: Device) -> None:
    """Raise when weights and plan exceed the device's memory.

    Raises:
        OutOfMemoryError: with what is wanted, used and free, the largest buffers, and what to change.
    """
    capacity, extent = device.dram.bytes, program.peak_memory
    if extent <= capacity:
        return
    report = report_memory(program)
    top = ", ".join(f"{item.tensor} {readable(item.size, 'B')}" for item in report.live_at_peak[:_TOP])
    raise OutOfMemoryError(
        f"out of device memory: {readable(extent, 'B')} wanted ({readable(report.weights, 'B')} weights,"
        f" {readable(report.activations, 'B')} activations), capacity {readable(capacity, 'B')},"
        f" largest free block {readable(report.largest_free, 'B')}, fragmentation index"
        f" {report.fragmentation_index:.2f}, largest at the peak: {top}",
        f"{program.name} on {device.name}",
        "use a smaller batch, a lower precision, or a device with more memory",
    )


def log_pool(log: PassLog, buffers: tuple[Buffer, ...], pool_bytes: int) -> None:
    """An entry when buffers lie past the end of the reserved arena: each is allocated at every execution."""
    if not pool_bytes:
        return
    outside = [
        buffer
        for buffer in buffers
        if buffer.pool is Pool.ACTIVATIONS
        and buffer.in_place_of < 0
        and buffer.offset + buffer.size > pool_bytes
    ]
    if outside:
        size = sum(buffer.size for buffer in outside)
        log.note(
            MEMORY, "memory_pool",
            f"pool-overflow: {len(outside)} buffers ({readable(size, 'B')}) lie past the end of the"
            f" {readable(pool_bytes, 'B')} arena and are allocated at every execution",
        )  # fmt: skip
