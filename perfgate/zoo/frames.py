"""Runs a pipeline over some frames: stages wait for their inputs and for a free engine of their resource."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UsageError
from perfgate.zoo.perception import Pipeline, Resource, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping


class StageSpan(msgspec.Struct, frozen=True):
    """One stage of one frame, in picoseconds from the first frame's start."""

    frame: int
    stage: str
    start_ps: int
    end_ps: int


class Miss(msgspec.Struct, frozen=True):
    """A stage that ended after its deadline."""

    frame: int
    stage: str
    late_ps: int
    is_hard: bool


class FrameReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the frames did. Latencies are the worst of all frames, from the frame's start.

    `branch_latency_ps`: end of a branch. `latency_ps`: end of the last stage. `skew_ps`: between the first
    and the last branch of a frame. `slowest_stage`: the one with the longest duration.
    """

    spans: tuple[StageSpan, ...]
    branch_latency_ps: dict[str, int]
    latency_ps: int
    skew_ps: int
    misses: tuple[Miss, ...]
    slowest_stage: str


def run_frames(pipeline: Pipeline, frames: int, model_ps: Mapping[str, int] | None = None) -> FrameReport:
    """Simulates `frames` frames without preemption; `model_ps` gives the time of each model stage by name.

    A sensor that is slower than the frames delivers to every n-th; later stages of its branch run only then,
    and a stage with several inputs waits for those that are new in its frame.

    Raises:
        UsageError: a stage has no time, no engine or waits for a later one, or no frame is asked for.
    """
    durations = _durations(pipeline, model_ps or {})
    if frames < 1:
        raise UsageError(f"{frames} frames", f"zoo:{pipeline.name}", "simulate one frame or more")
    spans = _Schedule(pipeline, frames, durations).run()
    return _report(pipeline, spans, durations)


def _durations(pipeline: Pipeline, model_ps: Mapping[str, int]) -> dict[str, int]:
    durations: dict[str, int] = {}
    for stage in pipeline.stages:
        unknown = [name for name in stage.after if name not in durations]
        if unknown:
            raise UsageError(
                f"waits for '{unknown[0]}'", f"stage '{stage.name}'", "list stages after their inputs"
            )
        if stage.resource is not Resource.SENSOR and pipeline.engines.get(stage.resource, 0) < 1:
            raise UsageError(
                f"has no {stage.resource} to run on", f"stage '{stage.name}'", "give engines for it"
            )
        if stage.model and stage.name not in model_ps:
            raise UsageError(
                "has no time", f"stage '{stage.name}' ({stage.model})", "simulate its model first"
            )
        durations[stage.name] = model_ps[stage.name] if stage.model else stage.duration_ps
    return durations


class _Schedule:
    """Event loop: a heap of times at which stages of frames become ready or end."""

    __slots__ = ("durations", "frames", "free", "pipeline", "ready", "spans", "stages", "waits")

    def __init__(self, pipeline: Pipeline, frames: int, durations: dict[str, int]) -> None:
        self.pipeline = pipeline
        self.frames = frames
        self.durations = durations
        self.stages = {stage.name: (order, stage) for order, stage in enumerate(pipeline.stages)}
        self.free = dict(pipeline.engines)
        self.ready: list[tuple[int, int, int]] = []  # priority (negated), frame, order: who goes first
        self.waits: dict[tuple[int, str], int] = {}
        self.spans: list[StageSpan] = []

    def run(self) -> list[StageSpan]:
        """Spans in the order in which stages start."""
        events: list[tuple[int, int, int, bool]] = []  # time, frame, order, whether the stage ends
        for frame in range(self.frames):
            fresh = self._fresh(frame)
            for stage in fresh:
                self.waits[frame, stage.name] = sum((frame, name) in self.waits for name in stage.after)
                if not self.waits[frame, stage.name]:
                    heapq.heappush(
                        events, (frame * self.pipeline.period_ps, frame, self.stages[stage.name][0], False)
                    )
        while events:
            now = events[0][0]
            while events and events[0][0] == now:
                _, frame, order, is_end = heapq.heappop(events)
                self._settle(frame, self.pipeline.stages[order], is_end=is_end)
            for span, order in self._start(now):
                heapq.heappush(events, (span.end_ps, span.frame, order, True))
        return self.spans

    def _fresh(self, frame: int) -> list[Stage]:
        """Stages that run in this frame: sensors that deliver, and what hangs on them."""
        running: dict[str, Stage] = {}
        for stage in self.pipeline.stages:
            every = max(1, round(stage.period_ps / self.pipeline.period_ps))
            is_due = frame % every == 0 if not stage.after else any(name in running for name in stage.after)
            if is_due:
                running[stage.name] = stage
        return list(running.values())

    def _settle(self, frame: int, stage: Stage, *, is_end: bool) -> None:
        """A stage became ready, or ended and lets others go."""
        if not is_end:
            self._queue(frame, stage)
            return
        if stage.resource is not Resource.SENSOR:
            self.free[stage.resource] += 1
        for follower in self.pipeline.stages:
            if stage.name in follower.after and (frame, follower.name) in self.waits:
                self.waits[frame, follower.name] -= 1
                if not self.waits[frame, follower.name]:
                    self._queue(frame, follower)

    def _queue(self, frame: int, stage: Stage) -> None:
        heapq.heappush(self.ready, (-stage.priority, frame, self.stages[stage.name][0]))

    def _start(self, now: int) -> list[tuple[StageSpan, int]]:
        """Starts what has an engine, the most urgent first."""
        started, kept = [], []
        while self.ready:
            entry = heapq.heappop(self.ready)
            stage = self.pipeline.stages[entry[2]]
            if stage.resource is not Resource.SENSOR:
                if not self.free.get(stage.resource, 0):
                    kept.append(entry)
                    continue
                self.free[stage.resource] -= 1
            span = StageSpan(entry[1], stage.name, now, now + self.durations[stage.name])
            self.spans.append(span)
            started.append((span, entry[2]))
        self.ready = kept
        heapq.heapify(self.ready)
        return started


def _report(pipeline: Pipeline, spans: list[StageSpan], durations: dict[str, int]) -> FrameReport:
    stages = {stage.name: stage for stage in pipeline.stages}
    branch_ends: dict[tuple[int, str], int] = {}
    misses: list[Miss] = []
    latency = 0
    for span in spans:
        stage = stages[span.stage]
        age = span.end_ps - span.frame * pipeline.period_ps
        latency = max(latency, age)
        if stage.branch:
            key = (span.frame, stage.branch)
            branch_ends[key] = max(branch_ends.get(key, 0), age)
        if stage.deadline_ps and age > stage.deadline_ps:
            misses.append(Miss(span.frame, stage.name, age - stage.deadline_ps, stage.is_hard))
    worst: dict[str, int] = {}
    per_frame: dict[int, list[int]] = {}
    for (frame, branch), age in branch_ends.items():
        worst[branch] = max(worst.get(branch, 0), age)
        per_frame.setdefault(frame, []).append(age)
    return FrameReport(
        spans=tuple(spans),
        branch_latency_ps=worst,
        latency_ps=latency,
        skew_ps=max(max(ages) - min(ages) for ages in per_frame.values()) if per_frame else 0,
        misses=tuple(sorted(misses, key=lambda miss: (miss.frame, miss.stage))),
        slowest_stage=max(durations, key=lambda name: (durations[name], name)),
    )
