"""One step of a program on a device: cost of every kernel, then the schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.npu.columns import LAYOUT, Columns, Ints, read_columns
from perfgate.npu.kernel_cost import KernelCosts, LaunchMode, cost_kernels
from perfgate.npu.pool_overflow import overflow_allocations
from perfgate.npu.runtime_options import RuntimeOptions, background_wait, event_ps
from perfgate.npu.schedule import Schedule, Work, schedule_one_stream, schedule_streams
from perfgate.npu.traffic import Traffic, measure_traffic

if TYPE_CHECKING:
    from perfgate.compiler.program import Program
    from perfgate.core.device import Device

_PS_PER_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Everything one step did, one row per kernel; `allocations` counts those made while running."""

    program: Program
    device: Device
    options: RuntimeOptions
    columns: Columns
    traffic: Traffic
    costs: KernelCosts
    schedule: Schedule
    allocations: Ints

    @property
    def makespan_ps(self) -> int:
        """Time of one step."""
        return self.schedule.makespan


def simulate(program: Program, device: Device, options: RuntimeOptions | None = None) -> Execution:
    """Run one step of a compiled program; a pure function, equal on every platform.

    `repeat` of a kernel (loop bodies) multiplies its duration; the step itself is multiplied by the caller.
    """
    chosen = options or RuntimeOptions()
    columns = read_columns(program.kernels, device.dma.full_run_bytes)
    traffic = measure_traffic(columns, device, reuses_l2=chosen.reuses_l2)
    mode = LaunchMode(is_dynamic=program.dynamic_dispatch, is_pinned=chosen.is_pinned)
    costs = cost_kernels(columns, traffic, device, mode)
    allocations = overflow_allocations(program, columns, chosen.pool_bytes)
    lead = allocations * round(device.runtime.alloc_us * _PS_PER_US)
    lead += np.where(columns.kind <= LAYOUT, background_wait(chosen), 0) * columns.repeat
    work = Work(
        kind=columns.kind,
        duration=costs.duration * columns.repeat,
        memory=costs.dram * columns.repeat,
        lead=lead,
        fence=(((columns.kind > LAYOUT) & (not chosen.is_pinned)) | (allocations > 0)).tolist(),
        dependencies=[kernel.dependencies for kernel in program.kernels],
    )
    streams = 1 if program.single_stream else chosen.streams
    if streams > 1:
        schedule = schedule_streams(work, streams, event_ps(device), chosen.sharing)
    else:
        schedule = schedule_one_stream(work)
    return Execution(
        program=program,
        device=device,
        options=chosen,
        columns=columns,
        traffic=traffic,
        costs=costs,
        schedule=schedule,
        allocations=allocations,
    )
