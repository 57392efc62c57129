"""A benchmark: one named measurement, resolved from a suite file; what a backend is asked to run."""

from __future__ import annotations

import msgspec

from perfgate.backends.launch import Launch  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.metric import Metric  # noqa: TC001 - the same
from perfgate.core.setting import Setting  # noqa: TC001 - the same

DEFAULT_RUNS = 5
DEFAULT_SAMPLES = 20
DEFAULT_LAUNCHES = 5  # samples of a run of a command, each a process: as few as the gate takes
DEFAULT_NOISE = "quiet"
DEFAULT_TIMEOUT = 600.0  # seconds for one measured process
TIMED_METRICS = ("latency",)
PIPELINE_METRICS = ("latency", "throughput", "branch_latency", "deadline_misses", "skew")
DEFAULT_METRICS = ("latency", "peak_memory", "copied_bytes", "kernel_count", "cycles")


class CompileSource(msgspec.Struct, frozen=True, kw_only=True):
    """The compile command: read out of `path` (relative to the root), or `flags` written out in the suite.

    `program` and `match` choose one of several commands; `require_resolved` names flags whose value must be
    known from the file.
    """

    path: str | None = None
    program: str | None = None
    match: str | None = None
    require_resolved: tuple[str, ...] = ()
    flags: dict[str, str | None] = {}


class RuntimeSource(msgspec.Struct, frozen=True, kw_only=True):
    """The runtime configuration: keys below `key` in `path`, or `values` written out in the suite."""

    path: str | None = None
    key: str | None = None
    values: dict[str, str] = {}


class StageModel(msgspec.Struct, frozen=True, kw_only=True):
    """The model of a pipeline's stage, with what a benchmark says of its own; no source: the benchmark's."""

    model: str
    place: str
    preset: str | None = None
    parameters: dict[str, str] = {}
    inputs: dict[str, tuple[int, ...]] = {}
    bind: dict[str, int] = {}
    iterations: int | None = None
    compile: CompileSource | None = None
    runtime: RuntimeSource | None = None


class StagePlan(msgspec.Struct, frozen=True, kw_only=True):
    """A pipeline as written: its settings with their places, and the models of its stages by name."""

    settings: tuple[Setting, ...]
    models: dict[str, StageModel] = {}


class PipelineSource(msgspec.Struct, frozen=True, kw_only=True):
    """A pipeline: `inline` in the suite; without that `name` is a shipped one, or a path from the root."""

    name: str
    inline: StagePlan | None = None


class ReferenceSource(msgspec.Struct, frozen=True, kw_only=True):
    """What the outputs must equal: an NPZ file (relative to the root), "" the unoptimised model."""

    path: str
    rtol: float
    atol: float


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """One benchmark on one device: of a `model`, a `pipeline`, a `call` (`module:function`), or a `launch`.

    `place` is its `file:line:column` in the suite, `test` the node id of a pytest test that defines it
    instead of a suite. A `warmup` of None is the backend's own, `timeout` are seconds for one measured
    process, `memory_limit` bytes of its address space, 0 for none. `inputs` holds the declared shape (symbols
    bound) and element type per model input. `preset` and `parameters` are for models of the zoo.
    """

    name: str
    device: str
    backend: str
    place: str
    runs: int
    samples: int
    noise: str
    metrics: tuple[Metric, ...]
    model: str = ""
    pipeline: PipelineSource | None = None
    call: str = ""
    launch: Launch | None = None
    reference: ReferenceSource | None = None
    test: str = ""
    warmup: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    memory_limit: int = 0
    preset: str | None = None
    parameters: dict[str, str] = {}
    inputs: dict[str, tuple[int, ...]] = {}
    dtypes: dict[str, str] = {}
    bind: dict[str, int] = {}
    branches: dict[str, str] = {}
    trip_counts: dict[str, int] = {}
    bounds: dict[str, int] = {}
    iterations: int | None = None
    compile: CompileSource = CompileSource()
    runtime: RuntimeSource = RuntimeSource()
    owner: str = ""
    tags: tuple[str, ...] = ()
    priority: str = ""
    thresholds: dict[str, str] = {}
    limits: dict[str, str] = {}

    @property
    def key(self) -> str:
        """`name[device]`, as records, reports and pytest name it."""
        return f"{self.name}[{self.device}]"

    @property
    def work(self) -> str:
        """What it runs, as records name it: the model, the pipeline, the function, or the command line."""
        if self.pipeline is not None:
            return self.pipeline.name
        return self.model or self.call or ("" if self.launch is None else self.launch.text)

    @property
    def suite(self) -> str:
        """Path of the suite file that defines it."""
        return self.place.rsplit(":", 2)[0]
