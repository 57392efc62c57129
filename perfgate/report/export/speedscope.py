"""Speedscope's own file format: `evented` profiles in nanoseconds, one per stream, that share their frames.

The format: https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate import __version__
from perfgate.core.codec import compact_json
from perfgate.report.export.drawn_steps import drawn_steps
from perfgate.report.export.frames import WAIT, Frame, Frames
from perfgate.report.export.lane import Lane, nanoseconds
from perfgate.report.export.short_name import short_name
from perfgate.report.export.side import stream_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.report.export.drawn_steps import DrawnStep
    from perfgate.report.export.frames import Stack
    from perfgate.report.export.side import Side

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(sides: Sequence[Side], title: str) -> Iterator[bytes]:
    """The file in pieces. Frames come last, as they are known when all profiles are written."""
    frames: dict[Frame, int] = {}
    yield f'{{"$schema":{compact_json(SCHEMA)},"name":{compact_json(short_name(title))},'.encode()
    yield f'"exporter":{compact_json(f"perfgate {__version__}")},'.encode()
    yield f'"activeProfileIndex":{_first_shown(sides)},"profiles":['.encode()
    separator = "\n"
    for side in sides:
        steps = drawn_steps(side)
        for stream in side.streams:
            name = f"{side.label}: {stream_name(stream)}"
            yield f'{separator}{{"type":"evented","name":{compact_json(name)},"unit":"nanoseconds",'.encode()
            yield b'"startValue":0,"events":['
            end = nanoseconds(sum(step.makespan_ps for step in steps))
            comma = ""
            for event in _events(side, stream, steps, frames):
                end = max(end, event["at"])
                yield f"{comma}\n{compact_json(event)}".encode()
                comma = ","
            yield f'],"endValue":{end}}}'.encode()
            separator = ",\n"
    rows = [{"name": frame.name, **({"file": frame.where} if frame.where else {})} for frame in frames]
    yield f'],\n"shared":{{"frames":{compact_json(rows)}}}}}\n'.encode()


def _first_shown(sides: Sequence[Side]) -> int:
    """The stream that decides the latency of the last side."""
    before = sum(len(side.streams) for side in sides[:-1])
    last = sides[-1]
    critical = last.critical_stream(0)
    return before + (last.streams.index(critical) if critical in last.streams else 0)


def _events(
    side: Side, stream: int, steps: Sequence[DrawnStep], numbers: dict[Frame, int]
) -> Iterator[dict[str, Any]]:
    """Frames that open and close. Neighbours share what they have in common unless time lies between."""
    frames, lanes, lane, box = Frames(side), side.lanes, Lane(), _OpenFrames(numbers)
    for step in steps:
        for row in lanes.get((step.program, stream), ()):
            placed = lane.place(step.start_ps + row.start_ps, row.duration_ps)
            if placed.start > placed.free and row.parts.wait_ps:
                # Kernels that are not listed may have run in the gap as well.
                is_all = row.parts.wait_ps >= placed.idle_ps
                begin = placed.free if is_all else placed.start - nanoseconds(row.parts.wait_ps)
                yield from box.show((*frames.of_operator(row), Frame(WAIT)), begin, placed.start)
            yield from box.show(frames.of_kernel(row), placed.start, placed.end)
    yield from box.close()


class _OpenFrames:
    """The frames that are open, and since when nothing happened."""

    def __init__(self, numbers: dict[Frame, int]) -> None:
        self._numbers = numbers
        self._open: Stack = ()
        self._end = 0

    def show(self, stack: Stack, start: int, end: int) -> Iterator[dict[str, Any]]:
        """Close what is not of this stack, open what is missing; the kernel itself is always a new box."""
        if start > self._end:
            yield from self.close()
        same = _common(self._open, stack[:-1])
        yield from self.close(same)
        for frame in stack[same:]:
            number = self._numbers.setdefault(frame, len(self._numbers))
            yield {"type": "O", "frame": number, "at": start}
        self._open, self._end = stack, end

    def close(self, keep: int = 0) -> Iterator[dict[str, Any]]:
        """Close all frames but the outermost `keep`, where the last span ended."""
        for frame in reversed(self._open[keep:]):
            yield {"type": "C", "frame": self._numbers[frame], "at": self._end}
        self._open = self._open[:keep]


def _common(one: Stack, other: Stack) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count
