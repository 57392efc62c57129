"""One profile as a process of a Chrome trace: its threads, and where each kernel lies on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from perfgate.report.export.chrome_lane import ChromeLane, microseconds
from perfgate.report.export.drawn_steps import drawn_steps
from perfgate.report.export.short_name import short_name
from perfgate.report.export.side import stream_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.core.execution_profile import KernelRow
    from perfgate.report.export.chrome_lane import ChromeSpan
    from perfgate.report.export.drawn_steps import DrawnStep
    from perfgate.report.export.side import Side

Event = dict[str, Any]
_PER_PROCESS = 10_000  # Perfetto names threads by their number alone, so no two processes share one


@dataclass(frozen=True)
class Process:
    """A side as process `pid`; its first thread holds the steps."""

    pid: int
    side: Side

    @cached_property
    def steps(self) -> tuple[DrawnStep, ...]:
        """What is drawn."""
        return drawn_steps(self.side)

    @cached_property
    def lanes(self) -> dict[tuple[int, int], list[KernelRow]]:
        """Kernels by program and stream, in order of their start."""
        return self.side.lanes

    @cached_property
    def engines(self) -> list[str]:
        """Engines in order of first use; none where there is one only, which would show nothing new."""
        found = list(dict.fromkeys(row.engine for row in self.side.profile.kernels if row.engine))
        return found if len(found) > 1 else []

    @property
    def step_thread(self) -> int:
        """Thread of the steps, and of the counters."""
        return self.pid * _PER_PROCESS

    @cached_property
    def stream_threads(self) -> dict[int, int]:
        """Thread by stream."""
        return {stream: self.step_thread + 1 + place for place, stream in enumerate(self.side.streams)}

    @cached_property
    def engine_threads(self) -> dict[str, int]:
        """Thread by engine."""
        first = self.step_thread + 1 + len(self.stream_threads)
        return {engine: first + place for place, engine in enumerate(self.engines)}

    @cached_property
    def placed(self) -> list[dict[int, ChromeSpan]]:
        """For each drawn step the kernels by index, as they lie on their streams."""
        free = {stream: ChromeLane() for stream in self.stream_threads}
        result = []
        for step in self.steps:
            found: dict[int, ChromeSpan] = {}
            for stream, lane in free.items():
                for row in self.lanes.get((step.program, stream), ()):
                    found[row.index] = lane.place(step.start_ps + row.start_ps, row.duration_ps)
            result.append(found)
        return result

    def names(self) -> Iterator[Event]:
        """Names of the process and its threads, in the order they are to be shown."""
        profile = self.side.profile
        yield self._meta("process_name", {"name": f"{self.side.label}, {short_name(profile.device)}"})
        yield self._meta("process_sort_index", {"sort_index": self.pid})
        threads = {
            self.step_thread: "steps",
            **{thread: stream_name(stream) for stream, thread in self.stream_threads.items()},
            **{thread: f"engine {short_name(engine)}" for engine, thread in self.engine_threads.items()},
        }
        for thread, name in threads.items():
            yield self._meta("thread_name", {"name": name}, thread)
            yield self._meta("thread_sort_index", {"sort_index": thread - self.step_thread}, thread)

    def span(self, thread: int, placed: ChromeSpan, event: Event) -> Event:
        """A complete event of a thread."""
        return {
            "ph": "X",
            "pid": self.pid,
            "tid": thread,
            "ts": placed.ts,
            "dur": placed.dur,
            **event,
        }

    def counter(self, name: str, nanoseconds: int, values: dict[str, int]) -> Event:
        """A counter's values from a moment on."""
        return {
            "ph": "C",
            "name": name,
            "pid": self.pid,
            "tid": self.step_thread,
            "ts": microseconds(nanoseconds),
            "args": values,
        }

    def _meta(self, name: str, args: Event, thread: int = 0) -> Event:
        return {"ph": "M", "name": name, "pid": self.pid, "tid": thread or self.step_thread, "args": args}
