"""Runs a pipeline over some frames: stages wait for their inputs and for a free engine of their resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UsageError
from perfgate.core.units import PS_PER_SECOND
from perfgate.zoo.frame_schedule import FrameSchedule, StageSpan
from perfgate.zoo.perception import Pipeline, Resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Miss(msgspec.Struct, frozen=True):
    """A stage that ended after its deadline."""

    frame: int
    stage: str
    late_ps: int
    is_hard: bool


class FrameReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the frames did. Latencies are the worst of all frames, from the frame's start.

    `branch_latency_ps`: end of a branch. `latency_ps`: end of the last stage, in `worst_frame`. `skew_ps`:
    between the first and the last branch of a frame. `slowest_stage`: the one with the longest duration.
    `loads`: the share of its resource's time that each stage takes; where those of a resource sum to more
    than 1, waits grow with every frame. `frames_per_second` is what the busiest resource lets through, at
    most one frame per period (the utilisation law: throughput = utilisation / demand).
    """

    spans: tuple[StageSpan, ...]
    branch_latency_ps: dict[str, int]
    latency_ps: int
    skew_ps: int
    misses: tuple[Miss, ...]
    slowest_stage: str
    worst_frame: int
    loads: dict[str, float]
    frames_per_second: float


def run_frames(pipeline: Pipeline, frames: int, model_ps: Mapping[str, int] | None = None) -> FrameReport:
    """Simulates `frames` frames without preemption; `model_ps` gives the time of each model stage by name.

    The time of a model stage is that of its whole batch; a fixed stage takes its duration for each frame of
    the batch, since nobody says what working on several at once would save.

    Raises:
        UsageError: a stage has no time, no engine or waits for a later one, or no frame is asked for.
    """
    durations = _durations(pipeline, model_ps or {})
    if frames < 1:
        raise UsageError(f"{frames} frames", f"zoo:{pipeline.name}", "simulate one frame or more")
    spans = FrameSchedule(pipeline, frames, durations).run()
    return _report(pipeline, spans, durations, frames)


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
        durations[stage.name] = model_ps[stage.name] if stage.model else stage.duration_ps * stage.batch
    return durations


def resource_loads(pipeline: Pipeline, loads: Mapping[str, float]) -> dict[Resource, float]:
    """The loads of the stages of each resource together; sensors work each for itself."""
    found: dict[Resource, float] = {}
    for stage in pipeline.stages:
        if stage.resource is not Resource.SENSOR:
            found[stage.resource] = found.get(stage.resource, 0.0) + loads[stage.name]
    return found


def _loads(pipeline: Pipeline, spans: Sequence[StageSpan], frames: int) -> dict[str, float]:
    busy = dict.fromkeys((stage.name for stage in pipeline.stages), 0)
    for span in spans:
        busy[span.stage] += span.end_ps - span.start_ps
    time = frames * pipeline.period_ps
    return {
        stage.name: busy[stage.name] / (time * pipeline.engines.get(stage.resource, 1))
        for stage in pipeline.stages
    }


def _report(
    pipeline: Pipeline, spans: Sequence[StageSpan], durations: Mapping[str, int], frames: int
) -> FrameReport:
    stages = {stage.name: stage for stage in pipeline.stages}
    branches: dict[int, dict[str, int]] = {}
    ages: dict[int, int] = {}
    misses: list[Miss] = []
    for span in spans:
        stage = stages[span.stage]
        for frame in span.frames:
            age = span.end_ps - frame * pipeline.period_ps
            ages[frame] = max(ages.get(frame, 0), age)
            if stage.branch:
                ends = branches.setdefault(frame, {})
                ends[stage.branch] = max(ends.get(stage.branch, 0), age)
            if stage.deadline_ps and age > stage.deadline_ps:
                misses.append(Miss(frame, stage.name, age - stage.deadline_ps, stage.is_hard))
    worst: dict[str, int] = {}
    for ends in branches.values():
        for branch, age in ends.items():
            worst[branch] = max(worst.get(branch, 0), age)
    worst_frame = max(ages, key=lambda frame: (ages[frame], -frame))
    loads = _loads(pipeline, spans, frames)
    busiest = max(resource_loads(pipeline, loads).values(), default=0.0)
    return FrameReport(
        spans=tuple(spans),
        branch_latency_ps=worst,
        latency_ps=ages[worst_frame],
        skew_ps=max((max(ends.values()) - min(ends.values()) for ends in branches.values()), default=0),
        misses=tuple(sorted(misses, key=lambda miss: (miss.frame, miss.stage))),
        slowest_stage=max(durations, key=lambda name: (durations[name], name)),
        worst_frame=worst_frame,
        loads=loads,
        frames_per_second=PS_PER_SECOND / pipeline.period_ps / max(1.0, busiest),
    )
