"""Suite files `perf_*.yaml`: benchmarks resolved from their entries and the file's defaults."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from perfgate.backends.launch import Launch
from perfgate.backends.registry import BACKENDS, COMMAND, timed_device
from perfgate.config.typed_yaml import read_typed
from perfgate.core.errors import UsageError
from perfgate.core.machine import SIMULATED
from perfgate.core.units import read_duration, read_size
from perfgate.measure.backend_keys import OF_ONE_BACKEND, check_keys
from perfgate.measure.benchmark import (
    DEFAULT_LAUNCHES,
    DEFAULT_METRICS,
    DEFAULT_NOISE,
    DEFAULT_RUNS,
    DEFAULT_SAMPLES,
    DEFAULT_TIMEOUT,
    PIPELINE_METRICS,
    TIMED_METRICS,
    Benchmark,
    PipelineSource,
    ReferenceSource,
)
from perfgate.measure.entry_place import EntryPlace
from perfgate.measure.metric_entry import known_metrics, reported_metrics
from perfgate.measure.model_source import is_shipped
from perfgate.measure.pipeline_source import resolve_pipeline
from perfgate.measure.suite_schema import BenchmarkEntry, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.backends.launch import Reading
    from perfgate.config.typed_yaml import Document
    from perfgate.core.metric import Metric

SUITE_PATTERNS = ("perf_*.yaml", "perf_*.yml")
MAX_WARMUP = 100_000


def is_suite_file(name: str) -> bool:
    """Whether a file of this name holds a suite."""
    return any(fnmatch(name, pattern) for pattern in SUITE_PATTERNS)


def load_suite(data: bytes, path: str) -> tuple[Benchmark, ...]:
    """The benchmarks of one suite file, one per entry and device, in the file's order.

    `path` is relative to the repository's root; paths inside the file are relative to the file's folder.

    Raises:
        UsageError: anything that cannot be taken as written, with file:line:column.
    """
    document = read_typed(data, path, SuiteFile, UsageError)
    found: list[Benchmark] = []
    for index, entry in enumerate(document.value.benchmarks):
        resolver = _Resolver(document, index, entry)
        found.extend(resolver.benchmark(device) for device in resolver.devices())
    check_unique(found)
    return tuple(found)


def check_unique(benchmarks: Iterable[Benchmark]) -> None:
    """Names are identities: the same name on the same device twice is refused.

    Raises:
        UsageError: with both places.
    """
    places: dict[str, str] = {}
    for item in benchmarks:
        if item.key in places:
            what = f"the benchmark {item.key} is defined twice"
            raise UsageError(what, f"{places[item.key]} and {item.place}", "rename one; names are identities")
        places[item.key] = item.place


class _Resolver:
    """One entry of a suite with the defaults of its file."""

    def __init__(self, document: Document[SuiteFile], index: int, entry: BenchmarkEntry) -> None:
        self.document = document
        self.entry = entry
        self.defaults = document.value.defaults
        self.place = EntryPlace(document, ("benchmarks", index))

    def where(self, *location: str | int) -> str:
        """The place of a key of this entry, or the entry's own."""
        return self.place.where(*location)

    def setting(self, name: str, fallback: Any) -> Any:  # noqa: ANN401 - the type is that of the named key
        """The entry's own value, else the file's default, else the product's."""
        own = getattr(self.entry, name)
        if own is not None:
            return own
        if name in OF_ONE_BACKEND and self.backend() != (self.defaults.backend or SIMULATED):
            return fallback
        default = getattr(self.defaults, name)
        return fallback if default is None else default

    def backend(self) -> str:
        """The entry's backend.

        Raises:
            UsageError: an unknown backend.
        """
        backend: str = self.entry.backend or self.defaults.backend or SIMULATED
        if backend not in BACKENDS:
            where = self.where("backend")
            raise UsageError(f"unknown backend {backend!r}", where, f"want {' or '.join(BACKENDS)}")
        return backend

    def devices(self) -> list[str]:
        """The entry's own list replaces the default one; a timed benchmark runs where the gate runs."""
        backend = self.backend()
        check_keys(self.entry, backend, self.where)
        names: list[str] = self.setting("devices", [])
        if backend != SIMULATED:
            return names or [timed_device(backend)]
        if not names:
            what = f"the benchmark {self.entry.name!r} names no device"
            raise UsageError(what, self.where(), "add `devices: [ascend-310p-like]`")
        return names

    def benchmark(self, device: str) -> Benchmark:
        """The entry on one device."""
        entry, backend = self.entry, self.backend()
        metrics, readings = self._metrics()
        return Benchmark(
            name=entry.name,
            device=device,
            backend=backend,
            model=self._model(),
            pipeline=self._pipeline(),
            call=entry.call or "",
            launch=self._launch(readings),
            reference=self._reference(),
            warmup=self._warmup(),
            timeout=self._timeout(),
            memory_limit=self._memory_limit(),
            place=self.where(),
            runs=self.setting("runs", DEFAULT_RUNS),
            samples=self.setting("samples", DEFAULT_LAUNCHES if backend == COMMAND else DEFAULT_SAMPLES),
            noise=self.setting("noise", DEFAULT_NOISE),
            metrics=metrics,
            preset=entry.preset,
            parameters=entry.parameters,
            inputs=self.place.shapes(entry.inputs, entry.bind),
            dtypes={name: item.dtype for name, item in entry.inputs.items() if item.dtype is not None},
            bind=entry.bind,
            branches=entry.branches,
            trip_counts=entry.trip_counts,
            bounds=entry.bounds,
            iterations=entry.iterations,
            compile=self.place.compile(self.setting("compile", None)),
            runtime=self.place.runtime(self.setting("runtime", None)),
            owner=self.setting("owner", ""),
            tags=tuple(self.setting("tags", [])),
            priority=entry.priority or "",
            thresholds=self.document.value.thresholds,
            limits=entry.limits,
        )

    def _model(self) -> str:
        model = self.entry.model
        if model is None:
            return ""
        return model if is_shipped(model) else self.place.path(model, "model")

    def _pipeline(self) -> PipelineSource | None:
        entry = self.entry.pipeline
        if entry is None:
            return None
        if isinstance(entry, str):
            is_path = not is_shipped(entry)
            return PipelineSource(name=self.place.path(entry, "pipeline") if is_path else entry)
        inner = self.place.below("pipeline")
        return PipelineSource(name=self.document.path, inline=resolve_pipeline(entry, inner))

    def _launch(self, readings: tuple[Reading, ...]) -> Launch | None:
        entry = self.entry
        if entry.command is None:
            return None
        return Launch(
            argv=tuple(entry.command),
            folder="." if entry.folder is None else self.place.path(entry.folder, "folder"),
            environment=entry.environment,
            exit_code=entry.exit_code or 0,
            readings=readings,
        )

    def _reference(self) -> ReferenceSource | None:
        entry = self.entry.reference
        if entry is None:
            return None
        path = "" if entry.file is None else self.place.path(entry.file, "reference", "file")
        return ReferenceSource(path=path, rtol=entry.rtol, atol=entry.atol)

    def _metrics(self) -> tuple[tuple[Metric, ...], tuple[Reading, ...]]:
        backend = self.backend()
        chosen = self.setting("metrics", DEFAULT_METRICS if backend == SIMULATED else TIMED_METRICS)
        if self.entry.pipeline is not None:  # what the file's defaults measure of models is not there
            chosen = PIPELINE_METRICS if self.entry.metrics is None else self.entry.metrics
        if not isinstance(chosen, dict):
            return known_metrics(chosen, backend, self.where), ()
        if backend != COMMAND:
            what = f"sources of metrics on backend {backend}"
            raise UsageError(what, self.where("metrics"), "write a list of names; a command has sources")
        return reported_metrics(chosen, self.where)

    def _warmup(self) -> int | None:
        text = self.setting("warmup", "auto")
        if text == "auto":
            return None
        if not text.isdecimal() or int(text) > MAX_WARMUP:
            what = f"warmup {text!r} is neither `auto` nor a count up to {MAX_WARMUP:,}"
            raise UsageError(what, self.where("warmup"), "write `auto`, or a whole number of rounds")
        return int(text)

    def _memory_limit(self) -> int:
        text = self.setting("memory_limit", None)
        size = 0 if text is None else read_size(text)
        if size is None:
            what = f"memory_limit {text!r} is no size"
            raise UsageError(what, self.where("memory_limit"), "write it like `2 GB`")
        return size

    def _timeout(self) -> float:
        text = self.setting("timeout", None)
        if text is None:
            return DEFAULT_TIMEOUT
        seconds = read_duration(text)
        if seconds is None:
            raise UsageError(f"timeout {text!r} is no time", self.where("timeout"), "write it like `90 s`")
        return seconds
