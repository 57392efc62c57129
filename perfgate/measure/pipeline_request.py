"""What a pipeline is simulated from: its settings, and a request for the model of each model stage."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from perfgate.backends.protocol import Request, StageRequest
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting, of_stage
from perfgate.measure.config_source import compile_settings, runtime_settings
from perfgate.measure.model_source import ZOO, read_model
from perfgate.measure.pipeline_source import read_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfgate.measure.benchmark import Benchmark, PipelineSource, StageModel


def with_stages(
    request: Request, benchmark: Benchmark, source: PipelineSource, read: Callable[..., bytes]
) -> Request:
    """The request of a pipeline; flags and keys that a stage has for itself are named after it.

    Raises:
        UsageError: pipeline, models or their settings cannot be used as written.
    """
    plan = read_stages(benchmark, source, read)
    flags, keys = list(request.compile), list(request.runtime)
    stages: dict[str, StageRequest] = {}
    digests = []
    for name, model in plan.models.items():
        own = _benchmark_of(benchmark, model)
        if model.compile is not None:
            flags += _named(name, compile_settings(own, read))
        if model.runtime is not None:
            keys += _named(name, runtime_settings(own, read))
        stages[name] = _stage_request(own, read)
        digests.append(f"{name} {hashlib.sha256(stages[name].request.model).hexdigest()}\n")
    return msgspec.structs.replace(
        request,
        pipeline=plan.settings,
        stages=stages,
        model="".join(digests).encode(),  # what tells two sets of models apart
        compile=tuple(flags),
        runtime=tuple(keys),
    )


def _benchmark_of(benchmark: Benchmark, model: StageModel) -> Benchmark:
    return msgspec.structs.replace(
        benchmark,
        pipeline=None,
        model=model.model,
        place=model.place,
        preset=model.preset,
        parameters=model.parameters,
        inputs=model.inputs,
        bind=model.bind,
        iterations=model.iterations,
        compile=model.compile or benchmark.compile,
        runtime=model.runtime or benchmark.runtime,
    )


def _named(stage: str, settings: Iterable[Setting]) -> list[Setting]:
    return [msgspec.structs.replace(item, name=of_stage(stage, item.name)) for item in settings]


def _stage_request(own: Benchmark, read: Callable[..., bytes]) -> StageRequest:
    def of_batch(batch: int) -> Request:
        if batch == 1:
            return _request(own, read_model(own, read))
        if own.inputs:
            shapes = {name: (shape[0] * batch, *shape[1:]) for name, shape in own.inputs.items() if shape}
            batched = msgspec.structs.replace(own, inputs=shapes)
            return _request(batched, read_model(own, read))
        if own.model.startswith(ZOO):
            count = int(own.parameters.get("batch", "1")) * batch
            batched = msgspec.structs.replace(own, parameters={**own.parameters, "batch": str(count)})
            return _request(batched, read_model(batched, read))
        what = f"the model {own.model!r} has a fixed batch"
        raise UsageError(
            what, own.place, "give its `inputs`, with the first dimension left open in the model"
        )

    return StageRequest(request=of_batch(1), of_batch=of_batch)


def _request(own: Benchmark, model: bytes) -> Request:
    return Request(
        benchmark=own.name,
        device=own.device,
        model=model,
        model_name=own.model,
        shapes=own.inputs,
        bind=own.bind,
        iterations=own.iterations or 0,
        place=own.place,
    )
