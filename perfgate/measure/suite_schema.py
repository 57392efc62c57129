"""The keys of a suite file `perf_*.yaml`, as types: what msgspec checks and the JSON Schema shows."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from perfgate.config.yaml_schema import means

Name = Annotated[str, Meta(min_length=1, max_length=300)]
Count = Annotated[int, Meta(ge=1, le=100_000)]


class InputEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Shape and element type of one model input; a symbol in the shape is bound by `bind`."""

    shape: Annotated[list[str], means("sizes, or symbols that `bind` binds")]
    dtype: Annotated[str | None, means("element type, where it is not the model's own")] = None


class CompileEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the compile command stands (`from`, `command`, `match`), or the flags written out (`flags`)."""

    from_: Annotated[str | None, means("file of the repository that holds the compile command")] = (
        msgspec.field(default=None, name="from")
    )
    command: Annotated[str | None, means("program of the command, such as `atc`")] = None
    match: Annotated[
        str | None, means("glob on one argument, where a file holds several commands of the program")
    ] = None
    require_resolved: Annotated[list[str], means("flags whose value must be known from the file")] = []
    flags: Annotated[dict[str, str | None], means("the flags written out, in place of `from`")] = {}


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


class RuntimeEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the runtime configuration stands (`from`, `key`), or the keys written out (`values`)."""

    from_: Annotated[str | None, means("file of the repository that holds the runtime configuration")] = (
        msgspec.field(default=None, name="from")
    )
    key: Annotated[str | None, means("the part of the file below this key")] = None
    values: Annotated[dict[str, str], means("the keys written out, in place of `from`")] = {}


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

    Or, timed: a Python function `call: package.module:function`, or a `command`, argument by argument.
    """

    name: Annotated[Name, means("its identity: a renamed benchmark is missing and new")]
    model: Annotated[Name | None, means("ONNX file relative to the suite, `zoo:NAME` or `onnx:NAME`")] = None
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
    preset: Annotated[str | None, means("size of a model of the zoo")] = None
    parameters: Annotated[dict[str, str], means("parameters of a model of the zoo")] = {}
    bind: Annotated[dict[str, Count], means("sizes of symbolic dimensions")] = {}
    inputs: Annotated[dict[str, InputEntry], means("shape and element type of inputs")] = {}
    branches: Annotated[dict[str, str], means("which branch each If node takes: `then` or `else`")] = {}
    trip_counts: Annotated[dict[str, Count], means("iterations of each Loop node")] = {}
    bounds: Annotated[dict[str, Count], means("upper limit of each size that depends on data, by node")] = {}
    iterations: Annotated[
        Count | None, means("steps of one execution, such as denoising steps; without it those of the model")
    ] = None
    limits: Annotated[dict[str, str], means("budgets by metric, such as `latency: <=33ms`")] = {}
    priority: Annotated[str | None, means("`primary` ones come first in reports")] = None


class SuiteFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole suite file."""

    version: Annotated[Annotated[int, Meta(ge=1, le=1)], means("version of this format")]
    defaults: Annotated[Defaults, means("what every benchmark takes unless it says otherwise")] = Defaults()
    thresholds: Annotated[dict[str, str], means("smallest effect by metric, such as `latency: 2%`")] = {}
    benchmarks: Annotated[list[BenchmarkEntry], means("the benchmarks")] = []
