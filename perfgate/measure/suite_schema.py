"""The keys of a suite file `perf_*.yaml`, as types: what msgspec checks and the JSON Schema shows."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=300)]
Count = Annotated[int, Meta(ge=1, le=100_000)]


class InputEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Shape and element type of one model input; a symbol in the shape is bound by `bind`."""

    shape: list[str]
    dtype: str | None = None


class CompileEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the compile command stands (`from`, `command`, `match`), or the flags written out (`flags`)."""

    from_: str | None = msgspec.field(default=None, name="from")
    command: str | None = None
    match: str | None = None
    require_resolved: list[str] = []
    flags: dict[str, str | None] = {}


class MetricEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the values of a metric stand in what a command prints, or writes to `file`.

    By `regex` (one group, or one named `value`), `pointer` (a JSON pointer; an array holds all samples) or
    `format` (of a tool that perfgate knows, `name` the benchmark in it).
    """

    regex: str | None = None
    pointer: str | None = None
    format: str | None = None
    name: str | None = None
    file: str | None = None
    unit: str | None = None
    direction: Literal["lower", "higher"] | None = None


class ReferenceEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a model's outputs must equal: those of an NPZ `file`, else those of the unoptimised model."""

    file: str | None = None
    rtol: Annotated[float, Meta(ge=0.0, le=1.0)] = 1e-3
    atol: Annotated[float, Meta(ge=0.0)] = 1e-5


class RuntimeEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the runtime configuration stands (`from`, `key`), or the keys written out (`values`)."""

    from_: str | None = msgspec.field(default=None, name="from")
    key: str | None = None
    values: dict[str, str] = {}


class Defaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every benchmark of the file takes unless it says otherwise."""

    backend: str | None = None
    devices: list[Name] | None = None
    runs: Count | None = None
    samples: Count | None = None
    warmup: str | None = None
    timeout: str | None = None
    noise: str | None = None
    metrics: list[Name] | dict[Name, MetricEntry] | None = None
    owner: str | None = None
    tags: list[Name] | None = None
    compile: CompileEntry | None = None
    runtime: RuntimeEntry | None = None


class BenchmarkEntry(Defaults, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One benchmark: a model with its compile command and runtime configuration, on each of its devices.

    Or, timed: a Python function `call: package.module:function`, or a `command`, argument by argument.
    """

    name: Name
    model: Name | None = None
    call: Name | None = None
    command: list[str] | None = None
    folder: str | None = None
    environment: dict[Name, str] = {}
    exit_code: Annotated[int, Meta(ge=0, le=255)] | None = None
    reference: ReferenceEntry | None = None
    preset: str | None = None
    parameters: dict[str, str] = {}
    bind: dict[str, Count] = {}
    inputs: dict[str, InputEntry] = {}
    branches: dict[str, str] = {}
    trip_counts: dict[str, Count] = {}
    bounds: dict[str, Count] = {}
    iterations: Count | None = None
    limits: dict[str, str] = {}
    priority: str | None = None


class SuiteFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole suite file."""

    version: Annotated[int, Meta(ge=1, le=1)]
    defaults: Defaults = Defaults()
    thresholds: dict[str, str] = {}
    benchmarks: list[BenchmarkEntry] = []
