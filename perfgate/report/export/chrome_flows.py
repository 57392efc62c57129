"""Arrows of a Chrome trace: from the kernel that made a tensor to the one that waited for it.

Between two streams it is a `sync`, the event that the second stream waits for; on one stream it is `data`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.core.execution_profile import KernelRow
    from perfgate.report.export.chrome_lane import ChromeSpan
    from perfgate.report.export.chrome_process import Event, Process


def flows(process: Process) -> Iterator[tuple[Event, Event]]:
    """Start and end of each arrow, which share a number that the file gives them."""
    profile = process.side.profile
    rows = {(row.program, row.index): row for row in profile.kernels}
    sizes = {(row.source, row.target): row.size for row in profile.flows}
    for step, placed in zip(process.steps, process.placed, strict=True):
        for index, target in placed.items():
            row = rows[step.program, index]
            for before in row.after:
                if before in placed and before != index:
                    source = rows[step.program, before]
                    size = sizes.get((source.owner, row.owner), 0)
                    yield _arrow(process, (source, row), (placed[before], target), size)


def _arrow(
    process: Process, rows: tuple[KernelRow, KernelRow], placed: tuple[ChromeSpan, ChromeSpan], size: int
) -> tuple[Event, Event]:
    (source, target), (one, other) = rows, placed
    kind = "data" if source.stream == target.stream else "sync"
    # An end binds to the span that holds its time, so it lies in the last nanosecond of the source, not
    # behind it; lanes are rounded apart, so that may be a nanosecond after the target's start.
    leaves = max(one.ts, min(one.last, other.ts))
    arrives = max(leaves, other.ts)
    both = {"name": kind, "cat": kind, "pid": process.pid}
    args = {"args": {"bytes_in_execution": size}} if size else {}
    start_thread, end_thread = (process.stream_threads[row.stream] for row in rows)
    start = {"ph": "s", **both, "tid": start_thread, "ts": leaves, **args}
    end = {"ph": "f", "bp": "e", **both, "tid": end_thread, "ts": arrives}
    return start, end
