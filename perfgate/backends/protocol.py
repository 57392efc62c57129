"""The seam between measuring and what runs a benchmark: simulated, in a process, or on a real device.

A backend opens one session per benchmark; compiling, loading and starting happen there, once. A session
answers with runs, never with one pooled list of samples, because the unit of replication is the run.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - msgspec reads the annotations at run time
from typing import Protocol

import msgspec

from perfgate.backends.launch import Launch  # noqa: TC001 - msgspec and readers of the seam need the names
from perfgate.core.execution_profile import Profile  # noqa: TC001 - the same
from perfgate.core.record import Run  # noqa: TC001 - the same
from perfgate.core.setting import Setting  # noqa: TC001 - the same


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """What a model's outputs must equal within `atol + rtol * |expected|`.

    `expected` is an NPZ file with outputs by name, and inputs by name where they are given; empty: the model
    itself without optimisation.
    """

    rtol: float
    atol: float
    expected: bytes = b""


class StageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The model of a pipeline's stage, of one frame; `of_batch` gives it for several at once.

    Raises:
        UsageError: by `of_batch`, if the model has a fixed batch.
    """

    request: Request
    of_batch: Callable[[int], Request]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure: a model, a function `call` (`module:function`, below `root`), or a command `launch`.

    `model` is ONNX bytes, `model_name` what messages call it: a path below `root`, or a shipped model.
    `device` "" lets the compile command's `--soc_version` choose. `shapes` (by input), `bind` (by symbol),
    `branches`, `trip_counts` and `bounds` bind what the model leaves open. `iterations` 0 takes the model's
    own number. `samples` and `warmup` count per run; a `warmup` of None is the backend's own. `metrics` are
    names of sampled metrics. `timeout` are seconds for one measured process, `memory_limit` bytes
    of its address space (0: none). `place` is the benchmark's in
    its suite. `pipeline` are the settings of a pipeline, `stages` the models of its model stages by name; its
    `iterations` are frames, and flags and keys named after a stage are of that stage alone.
    """

    benchmark: str
    device: str
    model: bytes = b""
    model_name: str = ""
    call: str = ""
    launch: Launch | None = None
    pipeline: tuple[Setting, ...] = ()
    stages: dict[str, StageRequest] = {}
    root: str = "."
    timeout: float = 600.0
    memory_limit: int = 0
    compile: tuple[Setting, ...] = ()
    runtime: tuple[Setting, ...] = ()
    shapes: dict[str, tuple[int, ...]] = {}
    bind: dict[str, int] = {}
    reference: Reference | None = None
    branches: dict[str, str] = {}
    trip_counts: dict[str, int] = {}
    bounds: dict[str, int] = {}
    iterations: int = 0
    noise: str = "quiet"
    seed: int = 0
    samples: int = 20
    warmup: int | None = None
    metrics: tuple[str, ...] = ("latency",)
    place: str = ""


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What the session found out once: parts of the record's ruler, subject, context and exact metrics.

    `inputs`: name -> `dtype[d0,d1,...]`. `protocol`: what must be equal for samples to be comparable. `notes`
    are warnings for people: flags without effect, estimated operators, silent noise.
    """

    device: str
    inputs: dict[str, str]
    protocol: dict[str, str]
    exact: dict[str, float]
    model_digest: str
    device_digest: str = ""
    cost_model: str = ""
    context: dict[str, str] = {}
    notes: tuple[str, ...] = ()


class Session(Protocol):
    """One benchmark, ready to run."""

    def describe(self) -> Description:
        """Facts that hold for all runs."""
        ...

    def measure(self, run: int) -> Run:
        """The samples of run number `run`, as of a process of its own; other runs do not change it."""
        ...

    def profile(self) -> Profile | None:
        """One traced execution, apart from the samples; None when the backend cannot trace."""
        ...

    def close(self) -> None:
        """Give back processes and files; the session is not used afterwards."""
        ...


class Backend(Protocol):
    """A way to run benchmarks."""

    @property
    def name(self) -> str:
        """As the suite names it."""
        ...

    @property
    def is_deterministic(self) -> bool:
        """The same request gives the same samples, so fresh runs cost nothing and machines do not matter."""
        ...

    def open(self, request: Request) -> Session:
        """Prepare one benchmark.

        Raises:
            PerfgateError: model, settings, device or metrics cannot be used as asked.
        """
        ...
