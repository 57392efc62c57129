"""The keys of a suite file `perf_*.yaml`, as types: what msgspec checks and the JSON Schema shows."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from perfgate.config.yaml_schema import means
from perfgate.measure.config_schema import (  # noqa: TC001 - msgspec reads the annotations at run time
    CompileEntry,
    Count,
    InputEntry,
    Name,
    RuntimeEntry,
)
from perfgate.measure.pipeline_schema import PipelineEntry  # noqa: TC001 - the same


class MetricEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the values of a metric stand in what a command prints, or writes to `file`.

    By `regex` (one group, or one named `value`), `pointer` (a JSON pointer; an array holds all samples) or
    `format` (of a tool that perfgate knows, `name` the benchmark in it).
    """

    regex: Annotated[
        str | None, means("pattern with one group, or one named `value`; every match is a sample")
    ] = None
    pointer: Annotated[str | None, means("JSON pointer (RFC 6901); an array holds all samples")] = None
    format: Annotated[str | None, means("report of a tool that `perfgate import` knows")] = None
    name: Annotated[str | None, means("which benchmark of the report")] = None
    file: Annotated[
        str | None, means("the file to search in place of what is printed; written anew by every launch")
    ] = None
    unit: Annotated[str | None, means("unit of the values")] = None
    direction: Annotated[
        Literal["lower", "higher"] | None, means("which way is better, where the unit does not say")
    ] = None


class ReferenceEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a model's outputs must equal: those of an NPZ `file`, else those of the unoptimised model."""

    file: Annotated[
        str | None, means("NPZ file of expected outputs; without it those of the unoptimised model")
    ] = None
    rtol: Annotated[Annotated[float, Meta(ge=0.0, le=1.0)], means("relative tolerance")] = 1e-3
    atol: Annotated[Annotated[float, Meta(ge=0.0)], means("absolute tolerance")] = 1e-5


class Defaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every benchmark of the file takes unless it says otherwise."""

    backend: Annotated[
        str | None, means("what measures: `simulated` (without it), `onnxruntime`, `python` or `command`")
    ] = None
    devices: Annotated[
        list[Name] | None, means("simulated devices; for other backends a label that keeps machines apart")
    ] = None
    runs: Annotated[
        Count | None, means("runs, each in a process of its own on a real clock; 5 without it")
    ] = None
    samples: Annotated[Count | None, means("samples of a run; 20 without it, 5 of a command")] = None
    warmup: Annotated[str | None, means("`auto`, or rounds that are recorded apart and never judged")] = None
    timeout: Annotated[
        str | None, means("longest time of one measured process, such as `90 s`; 600 s without it")
    ] = None
    memory_limit: Annotated[
        str | None,
        means("most address space of one measured process, such as `2 GB`; on Linux, no limit without it"),
    ] = None
    noise: Annotated[
        str | None,
        means("noise of the simulator: `none`, `quiet` (without it), `desktop`, `noisy-ci`, `drifting`"),
    ] = None
    metrics: Annotated[
        list[Name] | dict[Name, MetricEntry] | None,
        means("what is measured: names, or for a command each with its source"),
    ] = None
    owner: Annotated[str | None, means("who answers for it; shown with a red one")] = None
    tags: Annotated[list[Name] | None, means("words that pytest selects by with `-m` and `-k`")] = None
    compile: Annotated[CompileEntry | None, means("where the compile flags come from")] = None
    runtime: Annotated[RuntimeEntry | None, means("where the runtime keys come from")] = None


class BenchmarkEntry(Defaults, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One benchmark: a model with its compile command and runtime configuration, on each of its devices.

    Or a `pipeline` of stages. Or, timed: a Python function `call: package.module:function`, or a `command`,
    argument by argument.
    """

    name: Annotated[Name, means("its identity: a renamed benchmark is missing and new")]
    model: Annotated[Name | None, means("ONNX file relative to the suite, `zoo:NAME` or `onnx:NAME`")] = None
    pipeline: Annotated[
        str | PipelineEntry | None,
        means("`zoo:perception`, a file of a pipeline relative to the suite, or the pipeline itself"),
    ] = None
    call: Annotated[Name | None, means("`module:function` to time")] = None
    command: Annotated[list[str] | None, means("program and arguments to time; no shell sees them")] = None
    folder: Annotated[str | None, means("where the command runs")] = None
    environment: Annotated[dict[Name, str], means("variables of the command, on top of the gate's own")] = {}
    exit_code: Annotated[
        Annotated[int, Meta(ge=0, le=255)] | None, means("exit code of a command that worked; 0 without it")
    ] = None
    reference: Annotated[ReferenceEntry | None, means("outputs to be checked before anything is timed")] = (
        None
    )
    preset: Annotated[str | None, means("size of a model of the zoo, or which of its pipelines")] = None
    parameters: Annotated[
        dict[str, str],
        means("parameters of a model of the zoo; of its pipelines settings such as `camera.detect.duration`"),
    ] = {}
    bind: Annotated[dict[str, Count], means("sizes of symbolic dimensions")] = {}
    inputs: Annotated[dict[str, InputEntry], means("shape and element type of inputs")] = {}
    branches: Annotated[dict[str, str], means("which branch each If node takes: `then` or `else`")] = {}
    trip_counts: Annotated[dict[str, Count], means("iterations of each Loop node")] = {}
    bounds: Annotated[dict[str, Count], means("upper limit of each size that depends on data, by node")] = {}
    iterations: Annotated[
        Count | None,
        means(
            "steps of one execution, such as denoising steps; without it those of the model; of a pipeline "
            "frames, 30 without it"
        ),
    ] = None
    limits: Annotated[dict[str, str], means("budgets by metric, such as `latency: <=33ms`")] = {}
    priority: Annotated[str | None, means("`primary` ones come first in reports")] = None


class SuiteFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole suite file."""

    version: Annotated[Annotated[int, Meta(ge=1, le=1)], means("version of this format")]
    defaults: Annotated[Defaults, means("what every benchmark takes unless it says otherwise")] = Defaults()
    thresholds: Annotated[dict[str, str], means("smallest effect by metric, such as `latency: 2%`")] = {}
    benchmarks: Annotated[list[BenchmarkEntry], means("the benchmarks")] = []
