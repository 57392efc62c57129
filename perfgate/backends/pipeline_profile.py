"""The profile of a pipeline: stages of its worst frame as operators, their runs as kernels on resources.

So whatever draws kernels on engines and streams, and whatever explains where time went, works on a pipeline
as on a model. A stage that waits for an engine is a gap of its lane, with the stages that held the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.execution_profile import (
    Application,
    GapRow,
    GraphLevel,
    Hardware,
    KernelRow,
    Memory,
    OperatorRow,
    Parts,
    Profile,
    StepRow,
)
from perfgate.core.stage_row import Blocker, StageRow
from perfgate.zoo.perception import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.device import Device
    from perfgate.zoo.frame_schedule import StageSpan
    from perfgate.zoo.frames import FrameReport
    from perfgate.zoo.perception import Pipeline, Stage

_WAITS_FOR_ENGINE = "engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRun:
    """All frames, with the time and the peak memory of each model stage."""

    report: FrameReport
    model_ps: Mapping[str, int]
    memory: Mapping[str, int]
    notes: tuple[str, ...] = ()


def pipeline_profile(pipeline: Pipeline, device: Device, frames: FrameRun) -> Profile:
    """Everything on five levels; times count from the start of the worst frame, which is one execution."""
    report = frames.report
    rows = _stage_rows(pipeline, frames)
    kernels = _kernels(pipeline, frames, rows)
    path = [row for row in rows if row.critical]
    lanes = len({row.stream for row in kernels})
    profile = Profile(
        device=device.name,
        application=Application(
            total_ps=report.latency_ps,
            iterations=1,
            steps=(StepRow(program=pipeline.name, times=1, makespan_ps=report.latency_ps),),
            throughput=report.frames_per_second,
            copied_bytes=0,
            io_bytes=0,
            energy_j=0.0,
            average_w=0.0,
            inferences_per_joule=0.0,
            estimated_share=0.0,
        ),
        graph=_graph(rows, kernels, lanes, report.latency_ps),
        operators=tuple(_operator(row, pipeline) for row in rows),
        kernels=kernels,
        copies=(),
        hardware=_hardware(rows, frames, device),
        parts=Parts(
            compute_ps=sum(row.duration_ps for row in path),
            wait_ps=report.latency_ps - sum(row.duration_ps for row in path),
        ),
        exact={
            "deadline_misses": float(len(report.misses)),
            "skew": report.skew_ps / 1e12,
            "peak_memory": float(sum(frames.memory.values())),
        },
        notes=frames.notes,
        stages=rows,
    )
    content = (profile.application, profile.exact, rows)
    return msgspec.structs.replace(profile, digest=sha256(msgspec.json.encode(content)).hexdigest())


def _stage_rows(pipeline: Pipeline, frames: FrameRun) -> tuple[StageRow, ...]:
    report = frames.report
    worst = report.worst_frame
    origin = worst * pipeline.period_ps
    spans = {span.stage: span for span in report.spans if worst in span.frames}
    critical = _critical(pipeline, spans)
    slack = _slack(pipeline, spans)
    rows = []
    for number, stage in enumerate(pipeline.stages):
        span = spans.get(stage.name)
        if span is None:
            continue
        rows.append(
            StageRow(
                number=number,
                name=stage.name,
                resource=str(stage.resource),
                kind="model" if stage.model else "fixed",
                ready_ps=span.ready_ps - origin,
                start_ps=span.start_ps - origin,
                duration_ps=span.end_ps - span.start_ps,
                priority=stage.priority,
                batch=stage.batch,
                deadline_ps=stage.deadline_ps,
                is_hard=stage.is_hard,
                critical=stage.name in critical,
                load=report.loads[stage.name],
                gather_ps=_gather(span, stage, spans, origin),
                slack_ps=slack[stage.name],
                blockers=_blockers(span, stage, pipeline, report.spans),
            )
        )
    return tuple(rows)


def _critical(pipeline: Pipeline, spans: Mapping[str, StageSpan]) -> frozenset[str]:
    """The chain of stages that ends last: of the inputs always the one that came last."""
    stages = {stage.name: stage for stage in pipeline.stages}
    name: str | None = max(spans, key=lambda each: (spans[each].end_ps, -list(stages).index(each)))
    found = set()
    while name is not None:
        found.add(name)
        inputs = [each for each in stages[name].after if each in spans]
        name = max(inputs, key=lambda each: spans[each].end_ps, default=None)
    return frozenset(found)


def _slack(pipeline: Pipeline, spans: Mapping[str, StageSpan]) -> dict[str, int]:
    """How much later each stage could end: what is left of the frame after the longest chain behind it."""
    end = max(span.end_ps for span in spans.values())
    tails = dict.fromkeys(spans, 0)
    for stage in reversed(pipeline.stages):
        if stage.name not in spans:
            continue
        behind = tails[stage.name] + spans[stage.name].end_ps - spans[stage.name].start_ps
        for name in stage.after:
            if name in tails:
                tails[name] = max(tails[name], behind)
    return {name: end - span.end_ps - tails[name] for name, span in spans.items()}


def _gather(span: StageSpan, stage: Stage, spans: Mapping[str, StageSpan], origin: int) -> int:
    """How long the frame's own inputs lay there before the batch was complete."""
    own = max((spans[name].end_ps for name in stage.after if name in spans), default=origin)
    return span.ready_ps - own if len(span.frames) > 1 else 0


def _blockers(
    span: StageSpan, stage: Stage, pipeline: Pipeline, spans: Sequence[StageSpan]
) -> tuple[Blocker, ...]:
    """Who held the engines of a resource while the stage waited for one, the longest first."""
    if stage.resource is Resource.SENSOR or span.start_ps == span.ready_ps:
        return ()
    others = {item.name: item for item in pipeline.stages if item.resource is stage.resource}
    found = []
    for other in spans:
        held = min(other.end_ps, span.start_ps) - max(other.start_ps, span.ready_ps)
        if other.stage in others and held > 0:
            found.append(Blocker(other.stage, other.frame, others[other.stage].priority, held))
    return tuple(sorted(found, key=lambda item: (-item.time_ps, item.stage, item.frame)))


def _operator(row: StageRow, pipeline: Pipeline) -> OperatorRow:
    stage = pipeline.stages[row.number]
    return OperatorRow(
        number=row.number,
        name=row.name,
        op=row.name.removeprefix(f"{stage.branch}.") if stage.branch else row.name,
        scope=stage.branch,
        place="",
        kernels=1,
        total_ps=row.duration_ps + row.wait_ps,
        parts=Parts(compute_ps=row.duration_ps, wait_ps=row.wait_ps),
        bound=row.resource,
        flops=0,
        dram_bytes=0,
        l2_bytes=0,
        intensity=0.0,
        intensity_class="",
        is_above_ridge=False,
    )


def _kernels(pipeline: Pipeline, frames: FrameRun, rows: Sequence[StageRow]) -> tuple[KernelRow, ...]:
    """One for each stage of the worst frame, in a lane for each sensor and each engine."""
    worst = frames.report.worst_frame
    units = {span.stage: span.unit for span in frames.report.spans if worst in span.frames}
    lanes: dict[tuple[str, object], int] = {}
    index = {row.name: position for position, row in enumerate(rows)}
    found = []
    for position, row in enumerate(rows):
        is_sensor = row.resource == Resource.SENSOR
        lane = (row.resource, row.name if is_sensor else units[row.name])
        found.append(
            KernelRow(
                program=0,
                index=position,
                name=row.name,
                op=row.kind,
                kind="stage",
                variant="",
                owner=row.number,
                engine=row.resource,
                stream=lanes.setdefault(lane, len(lanes)),
                start_ps=row.start_ps,
                duration_ps=row.duration_ps,
                slack_ps=row.slack_ps,
                parts=Parts(compute_ps=row.duration_ps, wait_ps=row.wait_ps),
                bound=row.resource,
                utilisation=0.0,
                dram_bytes=0,
                l2_bytes=0,
                link_bytes=0,
                critical=row.critical,
                after=tuple(index[name] for name in pipeline.stages[row.number].after if name in index),
            )
        )
    return tuple(found)


def _graph(rows: Sequence[StageRow], kernels: Sequence[KernelRow], lanes: int, makespan: int) -> GraphLevel:
    serial = sum(row.duration_ps for row in rows)
    path = _longest(kernels)
    return GraphLevel(
        kernels=len(kernels),
        operators=len(rows),
        streams=lanes,
        critical_path_ps=path,
        serial_ps=serial,
        makespan_ps=makespan,
        parallelism=serial / path if path else 0.0,
        gaps=tuple(
            GapRow(
                program=0,
                stream=kernel.stream,
                start_ps=row.ready_ps,
                length_ps=row.wait_ps,
                before=row.name,
                cause=_WAITS_FOR_ENGINE,
            )
            for row, kernel in zip(rows, kernels, strict=True)
            if row.wait_ps
        ),
        fused_operators=0,
        duplicates=0,
        passes={},
    )


def _longest(kernels: Sequence[KernelRow]) -> int:
    """The longest chain of stages, as if every resource were free."""
    ends: dict[int, int] = {}
    for row in kernels:
        ends[row.index] = row.duration_ps + max((ends[each] for each in row.after), default=0)
    return max(ends.values(), default=0)


def _hardware(rows: Sequence[StageRow], frames: FrameRun, device: Device) -> Hardware:
    total = frames.report.latency_ps
    busy: dict[str, int] = {}
    for row in rows:
        busy[row.resource] = busy.get(row.resource, 0) + row.duration_ps
    shares = {name: time / total if total else 0.0 for name, time in busy.items()}
    peak = sum(frames.memory.values())
    used = [share for share in shares.values() if share > 0]
    return Hardware(
        busy_ps=busy,
        busy_share=shares,
        read_bytes={},
        written_bytes={},
        bandwidth_share={},
        l2_hit_share=0.0,
        parallelism=sum(used),
        transfer_ratio=0.0,
        balance=min(used) / max(used) if used else 0.0,
        energy_j={},
        memory=Memory(
            peak=peak,
            lower_bound=peak,
            weights=0,
            activations=peak,
            workspace=0,
            host=0,
            capacity=device.dram.bytes,
            curve=((0, peak), (total, peak)),
            at_peak=tuple((name, size, name) for name, size in frames.memory.items()),
        ),
    )
