"""The event loop of a pipeline: a heap of times at which stages of frames become ready or end."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import msgspec

from perfgate.zoo.perception import Pipeline, Resource, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping


class StageSpan(msgspec.Struct, frozen=True):
    """One run of a stage, in picoseconds from the first frame's start.

    `frame` is the last of the `frames` that it works on. From `ready_ps` on it has all it needs but an engine
    of its resource; `unit` is the one that it gets.
    """

    frame: int
    stage: str
    start_ps: int
    end_ps: int
    ready_ps: int = 0
    unit: int = 0
    frames: tuple[int, ...] = ()


class FrameSchedule:
    """Runs stages without preemption: of those that are ready the most urgent first, then the older frame."""

    __slots__ = ("batches", "durations", "free", "orders", "pipeline", "ready", "spans", "waits")

    def __init__(self, pipeline: Pipeline, frames: int, durations: Mapping[str, int]) -> None:
        self.pipeline = pipeline
        self.durations = durations
        self.orders = {stage.name: order for order, stage in enumerate(pipeline.stages)}
        self.free = {resource: list(range(count)) for resource, count in pipeline.engines.items()}
        self.ready: list[tuple[int, int, int, int]] = []  # priority (negated), frame, order, since when
        self.spans: list[StageSpan] = []
        self.batches = _batches(pipeline, frames)
        self.waits = self._waits()

    def run(self) -> list[StageSpan]:
        """Spans in the order in which stages start."""
        events: list[tuple[int, int, int, int]] = []  # time, frame, order, unit of a stage that ends or -1
        for (frame, name), count in self.waits.items():
            if not count and self.batches[frame, name][-1] == frame:
                heapq.heappush(events, (frame * self.pipeline.period_ps, frame, self.orders[name], -1))
        while events:
            now = events[0][0]
            while events and events[0][0] == now:
                _, frame, order, unit = heapq.heappop(events)
                stage = self.pipeline.stages[order]
                if unit < 0:
                    self._queue(frame, stage, now)
                else:
                    self._end(frame, stage, unit, now)
            for span, order in self._start(now):
                heapq.heappush(events, (span.end_ps, span.frame, order, span.unit))
        return self.spans

    def _waits(self) -> dict[tuple[int, str], int]:
        """How many results each run of a stage needs, by the last frame of its batch."""
        waits: dict[tuple[int, str], int] = {}
        for (frame, name), batch in self.batches.items():
            inputs = self.pipeline.stages[self.orders[name]].after
            key = batch[-1], name
            waits[key] = waits.get(key, 0) + sum((frame, needed) in self.batches for needed in inputs)
        return waits

    def _end(self, frame: int, stage: Stage, unit: int, now: int) -> None:
        """A stage ended: its engine is free, and what waited for it may be ready."""
        if stage.resource is not Resource.SENSOR:
            heapq.heappush(self.free[stage.resource], unit)
        for follower in self.pipeline.stages:
            if stage.name not in follower.after:
                continue
            for done in self.batches[frame, stage.name]:
                key = self.batches[done, follower.name][-1], follower.name
                self.waits[key] -= 1
                if not self.waits[key]:
                    self._queue(key[0], follower, now)

    def _queue(self, frame: int, stage: Stage, now: int) -> None:
        heapq.heappush(self.ready, (-stage.priority, frame, self.orders[stage.name], now))

    def _start(self, now: int) -> list[tuple[StageSpan, int]]:
        """Starts what has an engine, the most urgent first."""
        started, kept = [], []
        while self.ready:
            entry = heapq.heappop(self.ready)
            _, frame, order, since = entry
            stage = self.pipeline.stages[order]
            unit = 0
            if stage.resource is not Resource.SENSOR:
                if not self.free[stage.resource]:
                    kept.append(entry)
                    continue
                unit = heapq.heappop(self.free[stage.resource])
            end = now + self.durations[stage.name]
            frames = self.batches[frame, stage.name]
            span = StageSpan(frame, stage.name, now, end, since, unit, frames)
            self.spans.append(span)
            started.append((span, order))
        self.ready = kept
        heapq.heapify(self.ready)
        return started


def _batches(pipeline: Pipeline, frames: int) -> dict[tuple[int, str], tuple[int, ...]]:
    """The frames that a stage works on together, for each frame in which it has something to do.

    A sensor that is slower than the frames delivers to every n-th, and what hangs on it alone runs only then.
    The last batch may be smaller: no frame follows that it could wait for.
    """
    running: dict[str, list[int]] = {}
    for stage in pipeline.stages:
        every = max(1, round(stage.period_ps / pipeline.period_ps))
        given = {frame for name in stage.after for frame in running[name]}
        running[stage.name] = [
            frame for frame in range(frames) if (frame in given if stage.after else frame % every == 0)
        ]
    found: dict[tuple[int, str], tuple[int, ...]] = {}
    for stage in pipeline.stages:
        own = running[stage.name]
        for first in range(0, len(own), stage.batch):
            batch = tuple(own[first : first + stage.batch])
            found.update({(frame, stage.name): batch for frame in batch})
    return found
