"""One step of a program on a device: cost of every kernel, then the schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.compiler.runtime import RuntimeConfig
from perfgate.npu.background import background_wait
from perfgate.npu.columns import LAYOUT, Columns, Ints, read_columns
from perfgate.npu.kernel_cost import KernelCosts, LaunchMode, cost_kernels
from perfgate.npu.list_schedule import Sharing
from perfgate.npu.pool_overflow import overflow_allocations
from perfgate.npu.schedule import Schedule, Work, schedule_one_stream, schedule_streams
from perfgate.npu.traffic import Reuse, Traffic, measure_traffic

if TYPE_CHECKING:
    from perfgate.compiler.program import Program
    from perfgate.core.device import Device

DEFAULT_RUNTIME = RuntimeConfig()
_PS_PER_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Everything one step did, one row per kernel; `allocations` counts those made while running."""

    program: Program
    device: Device
    runtime: RuntimeConfig
    columns: Columns
    traffic: Traffic
    costs: KernelCosts
    schedule: Schedule
    allocations: Ints

    @property
    def makespan_ps(self) -> int:
        """Time of one step."""
        return self.schedule.makespan


def simulate(
    program: Program,
    device: Device,
    runtime: RuntimeConfig = DEFAULT_RUNTIME,
    sharing: Sharing = Sharing.FAST,
) -> Execution:
    """Run one step of a compiled program; a pure function, equal on every platform.

    `repeat` of a kernel (loop bodies) multiplies its duration; the step itself is multiplied by the caller.
    """
    columns = read_columns(program.kernels, device.dma.full_run_bytes)
    traffic = measure_traffic(columns, device, Reuse(program.buffer_mode))
    mode = LaunchMode(is_dynamic=program.dynamic_dispatch, is_pinned=runtime.pinned_memory)
    costs = cost_kernels(columns, traffic, device, mode)
    allocations = overflow_allocations(program, columns, runtime.memory_pool)
    lead = allocations * round(device.runtime.alloc_us * _PS_PER_US)
    lead += np.where(columns.kind <= LAYOUT, background_wait(runtime), 0) * columns.repeat
    streams = 1 if program.single_stream else runtime.streams
    blocks = (columns.kind > LAYOUT) & (not runtime.pinned_memory)
    work = Work(
        kind=columns.kind,
        duration=costs.duration * columns.repeat,
        memory=costs.dram * columns.repeat,
        lead=lead,
        fence=(blocks | (allocations > 0)).tolist(),
        dependencies=[kernel.dependencies for kernel in program.kernels] if streams > 1 else (),
    )
    if streams > 1:
        event_ps = round(device.runtime.event_us * _PS_PER_US)
        schedule = schedule_streams(work, streams, event_ps, sharing)
    else:
        schedule = schedule_one_stream(work)
    return Execution(
        program=program,
        device=device,
        runtime=runtime,
        columns=columns,
        traffic=traffic,
        costs=costs,
        schedule=schedule,
        allocations=allocations,
    )
