"""`perfgate.model(...)`: a benchmark written in a test, and its exact metrics for the test to check."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perfgate.baseline.summary import typical_value
from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import UsageError
from perfgate.core.machine import SIMULATED
from perfgate.core.metric import KNOWN_METRICS
from perfgate.measure.benchmark import (
    DEFAULT_METRICS,
    DEFAULT_NOISE,
    DEFAULT_RUNS,
    DEFAULT_SAMPLES,
    Benchmark,
    CompileSource,
    RuntimeSource,
)
from perfgate.measure.model_inputs import bound_inputs
from perfgate.measure.model_source import ZOO
from perfgate.pytest_plugin.marker import benchmark_name, check_limits, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.record import Record
    from perfgate.pytest_plugin.marker import Wishes
    from perfgate.pytest_plugin.measurement import Mode

BLOCKED = "not measured: "  # how the reason of a benchmark begins that a guardrail stops


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One number of a measurement; `unit` is one of `core.units`."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class ModelResult:
    """What one model measured; the record behind it goes to the gate."""

    record: Record

    def metric(self, name: str) -> MetricValue:
        """An exact metric, or the typical value of a sampled one.

        Raises:
            KeyError: it was not measured; names those that were.
        """
        known = {metric.name: metric for metric in self.record.ruler.metrics}
        value = typical_value(self.record, known[name]) if name in known else None
        if value is None:
            raise KeyError(f"{name!r} was not measured: {did_you_mean(name, known)}")
        return MetricValue(value, known[name].unit)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: flags without effect, estimated operators."""
        return self.record.notes


def measure_model(  # noqa: PLR0913, PLR0917 - the test, how it runs, and what it asks for
    item: pytest.Item, mode: Mode, wishes: Wishes, suffix: str, model: str, wanted: Mapping[str, Any]
) -> ModelResult:
    """Build the benchmark, measure it and hand it to the mode.

    Raises:
        UsageError: an argument that cannot be taken.
        PerfgateError: model, compile command, runtime configuration or device cannot be used as written.
    """
    __tracebackhide__ = True
    try:
        asked = inspect.signature(_benchmark).bind(item, mode, wishes, suffix, model, **wanted)
    except TypeError as problem:
        names = [
            name
            for name, at in inspect.signature(_benchmark).parameters.items()
            if at.kind is at.KEYWORD_ONLY
        ]
        wrong = next((name for name in wanted if name not in names), "")
        what = f"unknown argument {wrong!r}" if wrong else str(problem)
        remedy = did_you_mean(wrong, names) if wrong else 'write perfgate.model("model.onnx", device="...")'
        raise UsageError(f"perfgate.model: {what}", item.nodeid, remedy) from None
    benchmark = _benchmark(*asked.args, **asked.kwargs)
    reason = mode.blocked(benchmark)
    if reason:
        pytest.skip(f"{BLOCKED}{reason}")
    record = mode.measurer.measure(benchmark)
    mode.keep_model(item, benchmark, record)
    return ModelResult(record)


def _benchmark(  # noqa: PLR0913 - the keys of a suite entry
    item: pytest.Item,
    mode: Mode,
    wishes: Wishes,
    suffix: str,
    model: str,
    *,
    device: str,
    compile_from: str | None = None,
    compile_command: str | None = None,
    match: str | None = None,
    flags: Mapping[str, str | None] | None = None,
    runtime_from: str | None = None,
    runtime_key: str | None = None,
    runtime: Mapping[str, str] | None = None,
    inputs: Mapping[str, Sequence[int]] | None = None,
    bind: Mapping[str, int] | None = None,
    batch: int | None = None,
    preset: str | None = None,
    parameters: Mapping[str, object] | None = None,
    samples: int = DEFAULT_SAMPLES,
    noise: str = DEFAULT_NOISE,
    metrics: Sequence[str] = (),
    limit: Mapping[str, str] | None = None,
) -> Benchmark:
    where = item.nodeid
    unknown = next((name for name in metrics if name not in KNOWN_METRICS), None)
    if unknown is not None:
        raise UsageError(f"unknown metric {unknown!r}", where, did_you_mean(unknown, KNOWN_METRICS))
    if compile_from is not None and flags:
        raise UsageError("both compile_from and flags", where, "keep one of them")
    if runtime_from is not None and runtime:
        raise UsageError("both runtime_from and runtime", where, "keep one of them")
    limits = {**wishes.limit, **(limit or {})}
    check_limits("", limits, where)
    shapes = {name: tuple(map(int, shape)) for name, shape in (inputs or {}).items()}
    own = {key: str(value) for key, value in (parameters or {}).items()}
    is_built = model.startswith(ZOO)  # a zoo model is built for its batch, another one has it bound
    if batch is not None and is_built:
        own["batch"] = str(batch)
    name = benchmark_name(item, wishes, device)
    chosen = wishes.metrics_of(tuple(metrics) or DEFAULT_METRICS)
    benchmark = Benchmark(
        name=f"{name}::{suffix}" if suffix else name,
        device=device,
        backend=SIMULATED,
        model=model,
        place=place_of(item),
        test=item.nodeid,
        runs=DEFAULT_RUNS,
        samples=samples,
        noise=noise,
        metrics=chosen,
        preset=preset,
        parameters=own,
        inputs=shapes,
        compile=CompileSource(
            path=compile_from, program=compile_command, match=match, flags=dict(flags or {})
        ),
        runtime=RuntimeSource(path=runtime_from, key=runtime_key, values=dict(runtime or {})),
        owner=wishes.owner,
        thresholds=wishes.thresholds(chosen),
        limits=limits,
    )
    if is_built or (batch is None and not bind):
        return benchmark
    bound = bound_inputs(mode.measurer.model_of(benchmark), bind or {}, batch, where)
    return msgspec.structs.replace(benchmark, inputs={**bound, **shapes})
