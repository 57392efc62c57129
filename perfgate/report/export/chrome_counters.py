"""Counters of a Chrome trace: device memory in use, and bytes that crossed the host link so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.export.lane import nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.core.execution_profile import CopyRow
    from perfgate.report.export.chrome_process import Event, Process

MEMORY = "device memory"
LINK = "host link, bytes so far"
DIRECTIONS = ("h2d", "d2h")


def memory_counters(process: Process) -> Iterator[Event]:
    """The curve of the program that needs most, in each of its steps; the profile holds no other."""
    memory = process.side.profile.hardware.memory
    curve = sorted(memory.curve, key=lambda point: point[0])
    for step in process.steps:
        if step.program == memory.program:
            for time, used in curve:
                yield process.counter(MEMORY, nanoseconds(step.start_ps + time), {"bytes": used})


def link_counters(process: Process) -> Iterator[Event]:
    """A running sum by direction, which a copy adds to when it ends; at the end all that the execution moved.

    A step that stands for several adds the bytes of all of them.
    """
    profile = process.side.profile
    copies = [row for row in profile.copies if row.direction in DIRECTIONS]
    if not copies:
        return
    moved = dict.fromkeys(DIRECTIONS, 0)
    yield process.counter(LINK, 0, dict(moved))
    for step in process.steps:
        mine = sorted((row for row in copies if row.program == step.program), key=_end)
        for row in mine:
            moved[row.direction] += row.size * (row.times // step.of) * step.times
            yield process.counter(LINK, nanoseconds(step.start_ps + _end(row)), dict(moved))


def _end(row: CopyRow) -> int:
    return row.start_ps + row.duration_ps
