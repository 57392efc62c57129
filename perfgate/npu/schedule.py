"""When each kernel runs: one stream is a running sum, several are list scheduling over the engines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from perfgate.npu.columns import D2H, H2D, HOST, LAYOUT, MATRIX, VECTOR, Ints
from perfgate.npu.list_schedule import Sharing, Task, list_schedule
from perfgate.npu.stream_plan import Follows, assign_streams, stream_waits

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGINES = ("matrix", "vector", "dma", "h2d", "d2h", "host")
_ENGINE_OF_KIND = {MATRIX: 0, VECTOR: 1, LAYOUT: 2, H2D: 3, D2H: 4, HOST: 5}


class GapCause(StrEnum):
    """What a stream waited for."""

    PRODUCER = "producer"  # an event of another stream
    ENGINE = "engine"  # another stream's kernel held the engine
    FENCE = "fence"  # an allocation, or other work on the device that goes first


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Time in which a stream had nothing to run before `kernel`."""

    stream: int
    start: int
    length: int
    kernel: int
    cause: GapCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is to be scheduled: one row per kernel in issue order, times in picoseconds.

    `lead` passes between a kernel being ready and its start (an allocation, other work on the device).
    `fence` kernels block the host, so all streams drain before and wait after.
    """

    kind: Ints
    duration: Ints
    memory: Ints
    lead: Ints
    fence: Sequence[bool]
    dependencies: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Start, end, stream and slack per kernel; `wait` is idle time of its stream just before it.

    `stretch` is what sharing memory with overlapping kernels added to a duration. `critical` are the kernels
    that decide the makespan, in order of time; the others have slack.
    """

    start: Ints
    end: Ints
    stream: Ints
    wait: Ints
    stretch: Ints
    slack: Ints
    critical: tuple[int, ...]
    gaps: tuple[Gap, ...]
    streams: int

    @property
    def makespan(self) -> int:
        """End of the last kernel."""
        return int(self.end.max()) if len(self.end) else 0


def engine_of(kind: Ints) -> Ints:
    """Index into `ENGINES` for each kernel kind."""
    return np.array([_ENGINE_OF_KIND[code] for code in range(len(_ENGINE_OF_KIND))], dtype=np.int64)[kind]


def schedule_one_stream(work: Work) -> Schedule:
    """Kernels one after another: every kernel is critical and waits only for its own lead."""
    ends = np.cumsum(work.duration + work.lead)
    starts = ends - work.duration
    zeros = np.zeros_like(ends)
    gaps = tuple(
        Gap(
            stream=0,
            start=int(starts[row] - work.lead[row]),
            length=int(work.lead[row]),
            kernel=int(row),
            cause=GapCause.FENCE,
        )
        for row in np.flatnonzero(work.lead)
    )
    return Schedule(
        start=starts, end=ends, stream=zeros, wait=work.lead, stretch=zeros, slack=zeros,
        critical=tuple(range(len(ends))), gaps=gaps, streams=1,
    )  # fmt: skip


def schedule_streams(work: Work, streams: int, event_ps: int, sharing: Sharing) -> Schedule:
    """Kernels over several streams, each engine running one kernel at a time."""
    durations = [int(value) for value in work.duration]
    chosen = assign_streams(work.dependencies, durations, streams)
    follows = stream_waits(work.dependencies, chosen, work.fence, event_ps)
    engines = engine_of(work.kind).tolist()
    tasks = [
        Task(duration=duration, engine=engine, follows=before, memory=memory, lead=lead)
        for duration, engine, before, memory, lead in zip(
            durations, engines, follows, work.memory.tolist(), work.lead.tolist(), strict=True
        )
    ]
    start, end = list_schedule(tasks, [1] * len(ENGINES), sharing)
    return _describe(tasks, start, end, chosen)


def _describe(tasks: list[Task], start: list[int], end: list[int], streams: list[int]) -> Schedule:
    order = sorted(range(len(tasks)), key=lambda index: (start[index], end[index], index))
    before_on_engine, before_on_stream = {}, {}
    engine_tail: dict[int, int] = {}
    stream_tail: dict[int, int] = {}
    for index in order:
        before_on_engine[index] = engine_tail.get(tasks[index].engine, -1)
        before_on_stream[index] = stream_tail.get(streams[index], -1)
        engine_tail[tasks[index].engine] = stream_tail[streams[index]] = index
    limits = [_limits(tasks[index].follows, before_on_engine[index]) for index in range(len(tasks))]
    wait = [
        start[i] - (end[before_on_stream[i]] if before_on_stream[i] >= 0 else 0) for i in range(len(tasks))
    ]
    gaps = [
        _gap(index, tasks[index], (start, end, streams), wait[index]) for index in order if wait[index] > 0
    ]
    starts, ends = np.array(start, dtype=np.int64), np.array(end, dtype=np.int64)
    return Schedule(
        start=starts, end=ends,
        stream=np.array(streams, dtype=np.int64), wait=np.array(wait, dtype=np.int64),
        stretch=ends - starts - np.array([task.duration for task in tasks], dtype=np.int64),
        slack=_slack(order, tasks, (start, end), limits), critical=_critical(tasks, (start, end), limits),
        gaps=tuple(gaps), streams=max(streams, default=0) + 1,
    )  # fmt: skip


def _limits(follows: Follows, engine_before: int) -> Follows:
    return (*follows, (engine_before, -1)) if engine_before >= 0 else follows


def _gap(index: int, task: Task, times: tuple[list[int], list[int], list[int]], length: int) -> Gap:
    start, end, streams = times
    ready = max((end[p] + event for p, event in task.follows), default=0) + task.lead
    cause = GapCause.ENGINE if ready < start[index] else GapCause.FENCE if task.lead else GapCause.PRODUCER
    return Gap(stream=streams[index], start=start[index] - length, length=length, kernel=index, cause=cause)


def _slack(
    order: list[int], tasks: list[Task], times: tuple[list[int], list[int]], limits: list[Follows]
) -> Ints:
    start, end = times
    makespan = max(end, default=0)
    latest = [makespan] * len(tasks)
    for index in reversed(order):
        latest_start = latest[index] - (end[index] - start[index])
        for p, event in limits[index]:
            # An engine hands over at once (-1); an event and the kernel's lead pass after a producer.
            spent = event + tasks[index].lead if event >= 0 else 0
            latest[p] = min(latest[p], latest_start - spent)
    return np.array(latest, dtype=np.int64) - np.array(end, dtype=np.int64)


def _critical(
    tasks: list[Task], times: tuple[list[int], list[int]], limits: list[Follows]
) -> tuple[int, ...]:
    start, end = times
    makespan = max(end, default=0)
    path: list[int] = []
    current = next((index for index, time in enumerate(end) if time == makespan), -1)
    while current >= 0:
        path.append(current)
        lead = tasks[current].lead
        current = next(
            (
                p
                for p, event in limits[current]
                if end[p] + (event + lead if event >= 0 else 0) == start[current] and p not in path[-1:]
            ),
            -1,
        )
    return tuple(reversed(path))
