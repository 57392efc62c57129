"""Spans of a Chrome trace: steps, kernels by stream, kernels by engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate.report.export.chrome_lane import ChromeLane
from perfgate.report.export.lane import nanoseconds
from perfgate.report.export.short_name import UNNAMED, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.core.execution_profile import KernelRow, OperatorRow
    from perfgate.report.export.chrome_process import Event, Process


def step_spans(process: Process) -> Iterator[Event]:
    """One span per drawn step; `times` says how often it runs."""
    lane = ChromeLane()
    for step in process.steps:
        placed = lane.place(step.start_ps, step.makespan_ps)
        args = {"program": short_name(step.name), "number": step.number, "times": step.times}
        event = {"name": short_name(step.label), "cat": "step", "args": args}
        yield process.span(process.step_thread, placed, event)


def stream_spans(process: Process) -> Iterator[Event]:
    """Kernels on the streams they were issued to, with all that the profile knows of them."""
    events = _events(process)
    for step, placed in zip(process.steps, process.placed, strict=True):
        for stream, thread in process.stream_threads.items():
            for row in process.lanes.get((step.program, stream), ()):
                event = events[step.program, row.index]
                args = event["args"] | {"step": step.number, "times": step.times}
                yield process.span(thread, placed[row.index], event | {"args": args})


def engine_spans(process: Process) -> Iterator[Event]:
    """The same kernels on the engines that ran them."""
    rows = sorted(process.side.profile.kernels, key=lambda row: (row.start_ps, row.index))
    by_engine = {
        engine: (thread, [row for row in rows if row.engine == engine], ChromeLane())
        for engine, thread in process.engine_threads.items()
    }
    for step in process.steps:
        for thread, mine, lane in by_engine.values():
            for row in mine:
                if row.program == step.program:
                    placed = lane.place(step.start_ps + row.start_ps, row.duration_ps)
                    args = {"operator": row.owner, "stream": row.stream, "times": step.times}
                    event = {"name": short_name(row.name) or UNNAMED, "cat": "engine", "args": args}
                    yield process.span(thread, placed, event)


def _events(process: Process) -> dict[tuple[int, int], Event]:
    """Name, category and arguments of each kernel, which do not change from step to step."""
    operators = process.side.operators
    return {
        (row.program, row.index): {
            "name": short_name(row.name) or UNNAMED,
            "cat": "kernel",
            "args": _arguments(row, operators.get(row.owner)),
        }
        for row in process.side.profile.kernels
    }


def _arguments(row: KernelRow, operator: OperatorRow | None) -> dict[str, Any]:
    """What a viewer shows of a selected span; without what does not apply."""
    found: dict[str, Any] = {"operator": row.owner}
    if operator is not None:
        found |= {"operator_name": operator.name, "scope": operator.scope, "place": operator.place}
        found["shape"] = "x".join(map(str, operator.shape))
    found |= {
        "op": row.op,
        "kind": row.kind,
        "variant": row.variant,
        "engine": row.engine,
        "dtype": row.dtype,
        "layout": row.layout,
        "bound": row.bound,
    }
    texts = {key: short_name(value) if isinstance(value, str) else value for key, value in found.items()}
    numbers = {
        "bytes": row.dram_bytes,
        "l2_bytes": row.l2_bytes,
        "link_bytes": row.link_bytes,
        "dispatch_ns": nanoseconds(row.parts.dispatch_ps),
        "transfer_ns": nanoseconds(row.parts.transfer_ps),
        "compute_ns": nanoseconds(row.parts.compute_ps),
        "sync_ns": nanoseconds(row.parts.sync_ps),
        "wait_ns": nanoseconds(row.parts.wait_ps),
        "slack_ns": nanoseconds(row.slack_ps),
    }
    kept = {
        key: value for key, value in (texts | numbers).items() if value not in ("", 0) or key == "operator"
    }
    return kept | {"implicit": row.implicit, "critical": row.critical}
