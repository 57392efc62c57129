"""The keys of a pipeline, in a suite or in a file of its own: stages, what they run on, when they run."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from perfgate.config.yaml_schema import means
from perfgate.measure.config_schema import (  # noqa: TC001 - msgspec reads the annotations at run time
    CompileEntry,
    Count,
    InputEntry,
    Name,
    RuntimeEntry,
)


class StageEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One stage: a fixed time, or a model that is compiled and simulated on the benchmark's device."""

    name: Annotated[Name, means("its identity; what stands before the last dot is its branch")]
    resource: Annotated[Literal["sensor", "host", "device", "link"], means("what it occupies while it runs")]
    kind: Annotated[
        Literal["fixed", "model"] | None, means("`fixed` with a `duration`, `model` with a `model`")
    ] = None
    duration: Annotated[str | None, means("time of a fixed stage, such as `15 ms`")] = None
    model: Annotated[Name | None, means("ONNX file relative to this file, `zoo:NAME` or `onnx:NAME`")] = None
    preset: Annotated[str | None, means("size of a model of the zoo")] = None
    parameters: Annotated[dict[str, str], means("parameters of a model of the zoo")] = {}
    inputs: Annotated[dict[str, InputEntry], means("shape of inputs of the model")] = {}
    bind: Annotated[dict[str, Count], means("sizes of symbolic dimensions")] = {}
    iterations: Annotated[Count | None, means("steps of one execution of the model")] = None
    compile: Annotated[
        CompileEntry | None, means("its own compile flags, in place of those of the benchmark")
    ] = None
    runtime: Annotated[
        RuntimeEntry | None, means("its own runtime keys, in place of those of the benchmark")
    ] = None
    after: Annotated[
        str | list[Name], means("stages whose results it needs: a list, or joined by commas")
    ] = ""
    branch: Annotated[str | None, means("branch whose latency it counts for")] = None
    period: Annotated[str | None, means("how often a sensor delivers; every frame without it")] = None
    deadline: Annotated[str | None, means("latest end after the start of the frame")] = None
    hard: Annotated[str | None, means("`true`: the deadline is a hard one")] = None
    priority: Annotated[str | None, means("the higher goes first; 0 without it")] = None
    batch: Annotated[str | None, means("frames that it works on at once; 1 without it")] = None


class PipelineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A pipeline: a frame starts every period and goes through the stages."""

    period: Annotated[str, means("time between the starts of frames, such as `33 ms`")]
    stages: Annotated[list[StageEntry], means("the stages; of equal priority the earlier goes first")]
    engines: Annotated[
        dict[Literal["host", "device", "link"], Count],
        means("how many stages a resource runs at once; 1 without it"),
    ] = {}
