"""Device memory over one step: the compiler's plan meets the times of the schedule.

Peak, lower bound and fragmentation are the plan's (`compiler.memory_report`); here lives get their times,
which is what a curve and an allocation log need. With several streams the curve follows the schedule.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from perfgate.compiler.memory import aligned
from perfgate.compiler.memory_report import live_bytes, memory_events, report_memory
from perfgate.core.execution_profile import Memory, MemoryEventRow

if TYPE_CHECKING:
    from perfgate.npu.columns import Ints
    from perfgate.npu.simulation import Execution

_CURVE_POINTS = 400  # more cannot be told apart on a page
_LARGEST_SHOWN = 20
_LOG_UP_TO = 5_000  # kernels; beyond it the log of a step would be larger than all the rest of the profile


def memory_use(execution: Execution) -> Memory:
    """Memory of one step."""
    report = report_memory(execution.program, execution.runtime.memory_pool)
    events = _timed_events(execution) if execution.columns.size <= _LOG_UP_TO else []
    times, used = _curve(events) if events else _curve_by_kernel(execution)
    return Memory(
        peak=report.peak,
        lower_bound=report.lower_bound,
        weights=report.weights,
        activations=report.activations,
        workspace=report.workspace,
        host=report.host,
        capacity=execution.device.dram.bytes,
        curve=_thinned(times, used + report.weights),
        at_peak=tuple((item.tensor, item.size, item.op) for item in report.live_at_peak[:_LARGEST_SHOWN]),
        free_blocks=report.free_blocks,
        largest_free=report.largest_free,
        fragmentation_index=report.fragmentation_index,
        fragmentation_rate=report.fragmentation_rate,
        events=tuple(events),
        allocations=int(execution.allocations.sum()),
        pool=execution.runtime.memory_pool,
        arena=max(report.activations, report.workspace),
    )


def _timed_events(execution: Execution) -> list[MemoryEventRow]:
    """The allocation log in order of time; what is given back at a moment comes before what is taken then."""
    schedule = execution.schedule
    starts = [*schedule.start.tolist(), schedule.makespan]
    ends = [*schedule.end.tolist(), schedule.makespan]
    rows = [
        MemoryEventRow(
            time_ps=starts[event.kernel] if event.kind == "alloc" else ends[event.kernel],
            kind=event.kind,
            buffer=event.buffer,
            tensor=event.tensor,
            size=event.size,
            offset=event.offset,
        )
        for event in memory_events(execution.program)
    ]
    return sorted(rows, key=lambda row: (row.time_ps, row.kind != "free", row.buffer))


def _curve(events: list[MemoryEventRow]) -> tuple[Ints, Ints]:
    times = np.array([row.time_ps for row in events], dtype=np.int64)
    changes = [aligned(row.size) if row.kind == "alloc" else -aligned(row.size) for row in events]
    return times, np.cumsum(np.array(changes, dtype=np.int64))


def _curve_by_kernel(execution: Execution) -> tuple[Ints, Ints]:
    """Bytes that are live while each kernel runs, in issue order; what a very large program gets."""
    live = live_bytes(execution.program.buffers, execution.columns.size)
    return execution.schedule.start, live[: execution.columns.size]


def _thinned(times: Ints, used: Ints) -> tuple[tuple[int, int], ...]:
    """At most `_CURVE_POINTS` points; of each group the highest, so the peak stays."""
    if len(times) > _CURVE_POINTS:
        edges = np.linspace(0, len(times), _CURVE_POINTS + 1).astype(np.int64).tolist()
        kept = np.array([low + int(used[low:high].argmax()) for low, high in pairwise(edges)])
        times, used = times[kept], used[kept]
    return tuple(zip(times.tolist(), used.tolist(), strict=True))
