"""The stages of a pipeline as settings with their places: out of a suite, a file, or the zoo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.config.typed_yaml import did_you_mean, read_typed
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting
from perfgate.measure.benchmark import StageModel, StagePlan
from perfgate.measure.entry_place import EntryPlace
from perfgate.measure.model_source import ZOO, is_shipped
from perfgate.measure.pipeline_schema import PipelineEntry
from perfgate.zoo.perception import PIPELINES
from perfgate.zoo.pipeline_settings import ENGINES, PERIOD, STAGE_KEYS, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.measure.benchmark import Benchmark, PipelineSource
    from perfgate.measure.pipeline_schema import StageEntry

SHIPPED = f"{ZOO}perception"


def read_stages(benchmark: Benchmark, source: PipelineSource, read: Callable[..., bytes]) -> StagePlan:
    """The pipeline of a benchmark.

    Raises:
        UsageError: no such pipeline or preset, or the file cannot be taken as written.
    """
    if source.inline is None and is_shipped(source.name):
        return _from_zoo(benchmark, source.name)
    if benchmark.preset or benchmark.parameters:
        what = f"`preset` and `parameters` belong to {SHIPPED}, not to {source.name!r}"
        raise UsageError(what, benchmark.place, "remove them")
    if source.inline is not None:
        return source.inline
    data = read(source.name, what="pipeline", named_at=benchmark.place)
    document = read_typed(data, source.name, PipelineEntry, UsageError)
    return resolve_pipeline(document.value, EntryPlace(document))


def _from_zoo(benchmark: Benchmark, name: str) -> StagePlan:
    """A shipped pipeline with the settings of `parameters` in place of its own, or beside them."""
    if name != SHIPPED:
        raise UsageError(f"no pipeline {name!r}", benchmark.place, f"use {SHIPPED}, or a file")
    preset = benchmark.preset or next(iter(PIPELINES))
    if preset not in PIPELINES:
        raise UsageError(f"unknown preset {preset!r}", benchmark.place, did_you_mean(preset, PIPELINES))
    settings = {item.name: item for item in settings_of(PIPELINES[preset])}
    for key, value in benchmark.parameters.items():
        settings[key] = Setting(name=key, value=value, place=benchmark.place)
    placed = (msgspec.structs.replace(item, place=benchmark.place) for item in settings.values())
    return StagePlan(settings=tuple(placed))


def resolve_pipeline(entry: PipelineEntry, place: EntryPlace) -> StagePlan:
    """A pipeline that is written out.

    Raises:
        UsageError: a stage twice, a kind that does not fit, or a path that leads outside.
    """
    settings = [Setting(name=PERIOD, value=entry.period, place=place.where("period"))]
    settings += [
        Setting(name=f"{ENGINES}.{name}", value=str(count), place=place.where("engines", name))
        for name, count in entry.engines.items()
    ]
    models: dict[str, StageModel] = {}
    seen: set[str] = set()
    for index, stage in enumerate(entry.stages):
        inner = place.below("stages", index)
        if stage.name in seen or stage.name == ENGINES:
            what = f"the stage {stage.name!r} twice" if stage.name in seen else f"a stage named {ENGINES!r}"
            raise UsageError(what, inner.where("name"), "give it another name")
        seen.add(stage.name)
        _check_kind(stage, inner)
        settings += _settings(stage, inner)
        if stage.model is not None:
            models[stage.name] = _model(stage, stage.model, inner)
    return StagePlan(settings=tuple(settings), models=models)


def _check_kind(stage: StageEntry, place: EntryPlace) -> None:
    meant = "model" if stage.model is not None else "fixed"
    if (stage.model is None) == (stage.duration is None) or stage.kind not in {None, meant}:
        what = f"the stage {stage.name!r} is of kind {stage.kind or 'fixed or model'}"
        remedy = "a fixed stage has a `duration`, a model stage a `model`, none has both"
        raise UsageError(what, place.where("kind" if stage.kind else "name"), remedy)


def _settings(stage: StageEntry, place: EntryPlace) -> list[Setting]:
    found = []
    for key in STAGE_KEYS:
        value = getattr(stage, key)
        if isinstance(value, list):
            value = ", ".join(value)
        if value is not None and value != "":
            found.append(Setting(name=f"{stage.name}.{key}", value=value, place=place.where(key)))
    return found


def _model(stage: StageEntry, model: str, place: EntryPlace) -> StageModel:
    return StageModel(
        model=model if is_shipped(model) else place.path(model, "model"),
        place=place.where("model"),
        preset=stage.preset,
        parameters=stage.parameters,
        inputs=place.shapes(stage.inputs, stage.bind),
        bind=stage.bind,
        iterations=stage.iterations,
        compile=None if stage.compile is None else place.compile(stage.compile),
        runtime=None if stage.runtime is None else place.runtime(stage.runtime),
    )
