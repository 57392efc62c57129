"""Folded stacks, `a;b;c 42`: what flame-graph tools read, one line per stack.

The lines are the critical stream in nanoseconds, with its waits: they sum to the latency. Kernels that hide
beside it on other streams cost nothing and are not in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.export.frames import IDLE, WAIT, Frame, Frames
from perfgate.report.export.lane import Lane
from perfgate.report.export.side import NOT_LISTED, REST
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.report.export.frames import Stack
    from perfgate.report.export.side import Side


def folded(now: Side, before: Side | None = None) -> Iterator[bytes]:
    """One line per stack in order of first appearance; with `before` its count comes first.

    Each column sums to the latency of its side, to the nanosecond.
    """
    columns = [_nanoseconds(_critical_stacks(side)) for side in (before, now) if side is not None]
    for stack in dict.fromkeys(stack for column in reversed(columns) for stack in column):
        counts = [column.get(stack, 0) for column in columns]
        if any(counts):
            yield f"{stack} {' '.join(map(str, counts))}\n".encode()


def _critical_stacks(side: Side) -> dict[str, int]:
    """Picoseconds of the whole execution by stack."""
    frames, lanes = Frames(side), side.lanes
    found: dict[str, int] = {}

    def add(stack: Stack, picoseconds: int) -> None:
        text = ";".join(_folded_name(frame.name) for frame in stack)
        found[text] = found.get(text, 0) + picoseconds

    for program, step in enumerate(side.profile.application.steps):
        stream = side.critical_stream(program)
        rows = lanes.get((program, stream), []) if stream != NOT_LISTED else []
        left = step.makespan_ps
        for row in rows:
            if row.parts.wait_ps:
                add((*frames.of_operator(row), Frame(WAIT)), row.parts.wait_ps * step.times)
            add(frames.of_kernel(row), row.duration_ps * step.times)
            left -= row.duration_ps + row.parts.wait_ps
        rest = [row for row in lanes.get((program, NOT_LISTED), []) if row.kind == REST]
        if left > 0:
            name = f"{rest[0].variant} not listed" if rest else IDLE
            add((*frames.of_program(program), Frame(name)), left * step.times)
    return found


def _nanoseconds(stacks: dict[str, int]) -> dict[str, int]:
    """Rounded as a running sum, so that the counts add up to the rounded total."""
    lane, start, result = Lane(), 0, {}
    for stack, picoseconds in stacks.items():
        end = lane.place(0, picoseconds).end
        result[stack] = end - start
        start = end
    return result


def _folded_name(name: str) -> str:
    r"""What separates in this format becomes `_`, other invisible signs are written out such as `\x00`."""
    return inert("".join("_" if sign.isspace() or sign == ";" else sign for sign in name))
