"""Trace Event Format, which Perfetto, chrome://tracing and speedscope read: spans, counters and arrows.

A process is a profile (before, now), a thread is a stream or an engine: the same kernels are drawn by both.
Times are microseconds with three decimals. The format leaves the order of events free: what a reader would
miss least comes last, so that a cut costs arrows first. `displayTimeUnit` stands at the end, because old
versions of Perfetto took `ns` at the beginning for the unit of the times themselves.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from perfgate import __version__
from perfgate.core.codec import compact_json
from perfgate.report.export.chrome_counters import link_counters, memory_counters
from perfgate.report.export.chrome_flows import flows
from perfgate.report.export.chrome_process import Process
from perfgate.report.export.chrome_spans import engine_spans, step_spans, stream_spans
from perfgate.report.export.drawn_steps import layout_notes
from perfgate.report.export.lane import nanoseconds
from perfgate.report.export.short_name import short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.report.export.chrome_process import Event
    from perfgate.report.export.side import Side

LIMIT_BYTES = 200_000_000  # what viewers in a browser still open
_SPARE = 200  # bytes for the note of a cut
# In the order in which a reader would miss them.
_PARTS = (Process.names, step_spans, stream_spans, memory_counters, link_counters, engine_spans)


class ChromeTrace:
    """The file in pieces, at most `limit` bytes of them."""

    def __init__(self, sides: Sequence[Side], title: str, limit: int = LIMIT_BYTES) -> None:
        self._left_out = 0
        self._processes = [Process(pid, side) for pid, side in enumerate(sides, 1)]
        self._title = title
        self._limit = limit

    def pieces(self) -> Iterator[bytes]:
        """Head, one line per event (both ends of an arrow are one piece), foot."""
        yield b'{"traceEvents":['
        room = self._limit - len(self._foot()) - _SPARE
        separator = "\n"
        for events in self._events():
            piece = (separator + ",\n".join(map(compact_json, events))).encode() if room > 0 else b""
            room -= len(piece)
            if room > 0:
                yield piece
                separator = ",\n"
            else:
                self._left_out += len(events)
        yield self._foot()

    def _events(self) -> Iterator[tuple[Event, ...]]:
        """Groups that are written whole or not at all."""
        for part in _PARTS:
            for process in self._processes:
                for event in part(process):
                    yield (event,)
        for number, (start, end) in enumerate(chain.from_iterable(map(flows, self._processes)), 1):
            yield start | {"id": number}, end | {"id": number}

    def _foot(self) -> bytes:
        about = {
            "exporter": f"perfgate {__version__}",
            "title": short_name(self._title),
            "note": self.cut_note,
            "profiles": [_about(process) for process in self._processes],
        }
        return f'\n],"displayTimeUnit":"ns","otherData":{compact_json(about)}}}\n'.encode()

    @property
    def cut_note(self) -> str:
        """What the limit cost, known after the last piece; "" for nothing."""
        if not self._left_out:
            return ""
        return f"cut at {self._limit} bytes: {self._left_out} events are left out, arrows first"


def _about(process: Process) -> Event:
    """Facts for who opens the file as text."""
    profile, steps = process.side.profile, process.steps
    return {
        "label": process.side.label,
        "device": short_name(profile.device),
        "digest": profile.digest,
        "latency_ns": nanoseconds(profile.application.total_ps),
        "drawn_ns": nanoseconds(sum(step.makespan_ps for step in steps)),
        "steps": [
            {
                "program": short_name(step.program),
                "times": step.times,
                "step_ns": nanoseconds(step.makespan_ps),
            }
            for step in profile.application.steps
        ],
        "layout": [short_name(note) for note in layout_notes(steps)],
        "notes": [short_name(note) for note in profile.notes],
    }
