"""From a benchmark to its record: read its sources, open it on its backend once, take the runs."""

from __future__ import annotations

import hashlib
import posixpath
from typing import TYPE_CHECKING, cast

import msgspec

from perfgate.backends.protocol import Reference, Request
from perfgate.backends.registry import TIMED, open_backend
from perfgate.core.errors import UsageError
from perfgate.core.execution_profile import summarise
from perfgate.core.machine import TEST
from perfgate.core.metric import BRANCH_LATENCY, branch_metric
from perfgate.core.record import Record, Ruler, Subject
from perfgate.graph import load
from perfgate.measure.config_source import compile_settings, runtime_settings
from perfgate.measure.model_source import ZOO, read_model
from perfgate.measure.pipeline_request import with_stages
from perfgate.measure.simulation_input import SimulationInput

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfgate.backends.protocol import Backend, Description, Session
    from perfgate.backends.simulated import SimulatedSession
    from perfgate.core.execution_profile import Profile
    from perfgate.core.metric import Metric
    from perfgate.core.record import Run
    from perfgate.graph.ir import Graph
    from perfgate.measure.benchmark import Benchmark
    from perfgate.npu.what_if import WhatIfRow

DEVICE_FOLDER = "devices"  # a repository may describe its own devices there


class Runner:
    """Runs benchmarks of one tree. A benchmark is opened once, however many runs it takes."""

    def __init__(
        self, read: Callable[..., bytes], root: Path, *, seed: int, cache: Path | None = None
    ) -> None:
        self._read = read
        self._root = root
        self._cache = cache
        self._seed = seed
        self._backends: dict[str, Backend] = {}
        self._open: dict[str, tuple[Request, Session]] = {}
        self._named: dict[str, str] = {}  # digest by path of the files that flags named so far
        self._files: dict[str, dict[str, str]] = {}

    def record(self, benchmark: Benchmark, runs: int) -> Record:
        """All runs of a benchmark, its exact metrics and the summary of its profile.

        Raises:
            UsageError: model, compile command, runtime configuration or device cannot be used as written.
        """
        return self.record_of(benchmark, self.runs(benchmark, 0, runs))

    def record_of(self, benchmark: Benchmark, runs: tuple[Run, ...]) -> Record:
        """The record of runs that were taken one by one.

        Raises:
            UsageError: as `record`.
        """
        request, session = self._session(benchmark)
        found, profile = session.describe(), session.profile()
        return Record(
            benchmark=benchmark.name,
            device=benchmark.device,
            backend=benchmark.backend,
            ruler=Ruler(
                inputs=found.inputs,
                metrics=_metrics(benchmark, found),
                protocol=found.protocol,
                device_digest=found.device_digest,
                cost_model=found.cost_model,
            ),
            subject=Subject(
                model=benchmark.work,
                model_digest=found.model_digest,
                compile=request.compile,
                runtime=request.runtime,
                files=self._files[benchmark.key],
                pipeline=request.pipeline,
            ),
            runs=runs,
            exact=_exact(benchmark, found),
            context=found.context | ({TEST: benchmark.test} if benchmark.test else {}),
            notes=found.notes,
            profile=None if profile is None else summarise(profile),
        )

    def runs(self, benchmark: Benchmark, first: int, count: int) -> tuple[Run, ...]:
        """Runs number `first` and following; each is as of a process of its own."""
        _, session = self._session(benchmark)
        return tuple(session.measure(number) for number in range(first, first + count))

    def profile(self, benchmark: Benchmark) -> Profile | None:
        """The traced execution on five levels, apart from the samples; None where the backend has none."""
        _, session = self._session(benchmark)
        return session.profile()

    def explain(self, benchmark: Benchmark) -> list[str]:
        """The arithmetic behind the simulated time, in lines to check by hand.

        Raises:
            UsageError: the benchmark is timed, not simulated.
        """
        _, session = self._simulated(benchmark)
        return [f"  {line.quantity}: {line.arithmetic} = {line.result}" for line in session.explain()]

    def what_if(self, benchmark: Benchmark) -> tuple[WhatIfRow, ...]:
        """The benchmark with one knob turned at a time; each answer is a compilation and a simulation.

        Raises:
            UsageError: the benchmark is timed, not simulated.
        """
        request, session = self._simulated(benchmark)
        return session.what_if(lambda factor: _with_batch(benchmark, request, session.describe(), factor))

    def simulation_input(self, benchmark: Benchmark) -> SimulationInput | None:
        """What a simulation of it follows from; None for a timed benchmark.

        Raises:
            UsageError: a file of it cannot be read.
        """
        if benchmark.backend in TIMED:
            return None
        request = self._request(benchmark)
        return SimulationInput(request=request, read=self._named_file, devices=(self._root / DEVICE_FOLDER,))

    def _simulated(self, benchmark: Benchmark) -> tuple[Request, SimulatedSession]:
        request, session = self._session(benchmark)
        if benchmark.backend in TIMED:
            what = f"{benchmark.key} is timed: only a simulated benchmark has this arithmetic"
            raise UsageError(what, benchmark.place, "leave it out with -k or --device")
        if benchmark.pipeline is not None:
            what = f"{benchmark.key} is a pipeline: only a model has this arithmetic"
            raise UsageError(
                what, benchmark.place, "leave it out with -k, or ask `perfgate diagnose --single`"
            )
        return request, cast("SimulatedSession", session)  # what the simulated backend opens

    def _session(self, benchmark: Benchmark) -> tuple[Request, Session]:
        if benchmark.key not in self._open:
            backend = self._backends.get(benchmark.backend) or open_backend(
                benchmark.backend,
                devices=(self._root / DEVICE_FOLDER,),
                read=self._named_file,
                cache=self._cache,
            )
            self._backends[benchmark.backend] = backend
            request = self._request(benchmark)
            self._named = self._files[benchmark.key] = {}
            self._open[benchmark.key] = (request, backend.open(request))
        return self._open[benchmark.key]

    def _request(self, benchmark: Benchmark) -> Request:
        # A percentile is judged on the samples of its quantity, so those are taken once.
        quantities = dict.fromkeys(
            metric.name if metric.quantile is None else metric.name.partition("_")[2]
            for metric in benchmark.metrics
            if metric.is_sampled
        )
        request = Request(
            benchmark=benchmark.name,
            device=benchmark.device,
            model=read_model(benchmark, self._read) if benchmark.model else b"",
            model_name=benchmark.model,
            call=benchmark.call,
            launch=benchmark.launch,
            root=str(self._root),
            timeout=benchmark.timeout,
            memory_limit=benchmark.memory_limit,
            warmup=benchmark.warmup,
            compile=compile_settings(benchmark, self._read),
            runtime=runtime_settings(benchmark, self._read),
            shapes=benchmark.inputs,
            bind=benchmark.bind,
            reference=self._reference(benchmark),
            branches=benchmark.branches,
            trip_counts=benchmark.trip_counts,
            bounds=benchmark.bounds,
            iterations=benchmark.iterations or 0,
            noise=benchmark.noise,
            seed=self._seed,
            samples=benchmark.samples,
            metrics=tuple(quantities),
            place=benchmark.place,
        )
        if benchmark.pipeline is None:
            return request
        return with_stages(request, benchmark, benchmark.pipeline, self._read)

    def _reference(self, benchmark: Benchmark) -> Reference | None:
        source = benchmark.reference
        if source is None:
            return None
        named_at = benchmark.place
        expected = self._read(source.path, what="reference", named_at=named_at) if source.path else b""
        return Reference(rtol=source.rtol, atol=source.atol, expected=expected)

    def _named_file(self, name: str, named_at: str) -> str:
        """A file that a flag names, such as a fusion switch file: below the root, or beside the script."""
        beside = posixpath.join(posixpath.dirname(named_at.rsplit(":", 2)[0]), name)
        try:
            data = self._read(posixpath.normpath(name), what="file", named_at=named_at)
        except UsageError:
            data = self._read(posixpath.normpath(beside), what="file", named_at=named_at)
        self._named[name] = hashlib.sha256(data).hexdigest()
        return data.decode("utf-8", errors="replace")


def _with_batch(benchmark: Benchmark, request: Request, found: Description, factor: int) -> Graph:
    """The model with its batch multiplied: a zoo model is built anew, an open dimension bound otherwise.

    Raises:
        UsageError, GraphError: the model has a fixed batch.
    """
    if benchmark.model.startswith(ZOO) and not request.shapes:
        batch = max(_leading(text) for text in found.inputs.values()) * factor
        parameters = {**benchmark.parameters, "batch": str(batch)}
        scaled = msgspec.structs.replace(benchmark, parameters=parameters)
        return load(read_model(scaled, _no_file), name=benchmark.model)
    if not request.shapes:
        raise UsageError("the model has a fixed batch", benchmark.place, "leave its first dimension open")
    shapes = {name: (shape[0] * factor, *shape[1:]) for name, shape in request.shapes.items() if shape}
    return load(request.model, bindings=shapes, name=benchmark.model)


def _leading(text: str) -> int:
    """The first dimension out of `float32[8,3,224,224]`; 1 for a scalar."""
    first = text.partition("[")[2].split(",")[0].rstrip("]")
    return int(first) if first else 1


def _no_file(path: str, **_: object) -> bytes:
    raise UsageError("a shipped model needs no file", path, "report this")


def _metrics(benchmark: Benchmark, found: Description) -> tuple[Metric, ...]:
    """Those of the suite, with one for each branch of a pipeline in place of all of them."""
    branches = [name.partition(".")[2] for name in found.exact if name.startswith(f"{BRANCH_LATENCY}.")]
    chosen: list[Metric] = []
    for metric in benchmark.metrics:
        chosen += map(branch_metric, branches) if metric.name == BRANCH_LATENCY else [metric]
    return tuple(chosen)


def _exact(benchmark: Benchmark, found: Description) -> dict[str, float]:
    wanted = [metric.name for metric in _metrics(benchmark, found) if not metric.is_sampled]
    missing = [name for name in wanted if name not in found.exact]
    if missing:
        remedy = f"measure {', '.join(sorted(found.exact))}"
        raise UsageError(f"the backend has no {missing[0]!r}", benchmark.place, remedy)
    return {name: found.exact[name] for name in wanted}
