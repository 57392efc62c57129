"""`perfgate.model(...)`: a model on a simulated device, measured from a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

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
from perfgate.pytest_plugin.marker import check_limits, place_of
from perfgate.pytest_plugin.measured_result import MeasuredResult, keep_and_answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from perfgate.pytest_plugin.marker import Wishes
    from perfgate.pytest_plugin.measurement import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """The arguments of `perfgate.model`, named and meant as the keys of a suite entry."""

    model: str
    device: str
    compile_from: str | None = None
    compile_command: str | None = None
    match: str | None = None
    flags: Mapping[str, str | None] = field(default_factory=dict)
    runtime_from: str | None = None
    runtime_key: str | None = None
    runtime: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[int]] = field(default_factory=dict)
    bind: Mapping[str, int] = field(default_factory=dict)
    batch: int | None = None
    preset: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    samples: int = DEFAULT_SAMPLES
    noise: str = DEFAULT_NOISE
    metrics: Sequence[str] = ()
    limit: Mapping[str, str] = field(default_factory=dict)

    def compile_source(self) -> CompileSource:
        """Where the compile command is."""
        return CompileSource(
            path=self.compile_from, program=self.compile_command, match=self.match, flags=dict(self.flags)
        )

    def runtime_source(self) -> RuntimeSource:
        """Where the runtime keys are."""
        return RuntimeSource(path=self.runtime_from, key=self.runtime_key, values=dict(self.runtime))


def read_call(wanted: Mapping[str, Any], where: str) -> ModelCall:
    """The arguments, checked.

    Raises:
        UsageError: an unknown or missing one, or two that say one thing.
    """
    known = ModelCall.__slots__
    wrong = next((name for name in wanted if name not in known), None)
    if wrong is not None:
        raise UsageError(f"perfgate.model: unknown argument {wrong!r}", where, did_you_mean(wrong, known))
    if "device" not in wanted:
        raise UsageError("perfgate.model: no device", where, 'write device="ascend-310p-like"')
    call = ModelCall(**wanted)
    for pair in (("compile_from", "flags"), ("runtime_from", "runtime")):
        if all(getattr(call, name) for name in pair):
            raise UsageError(f"both {' and '.join(pair)}", where, "keep one of them")
    unknown = next((name for name in call.metrics if name not in KNOWN_METRICS), None)
    if unknown is not None:
        raise UsageError(f"unknown metric {unknown!r}", where, did_you_mean(unknown, KNOWN_METRICS))
    check_limits("", dict(call.limit), where)
    return call


def measure_model(
    item: pytest.Item, mode: Mode, name: str, wishes: Wishes, call: ModelCall
) -> MeasuredResult:
    """Build the benchmark of that name, measure it and hand its record to the mode.

    Raises:
        UsageError: an argument that cannot be taken.
        PerfgateError: model, compile command, runtime configuration or device cannot be used as written.
    """
    __tracebackhide__ = True
    return keep_and_answer(item, mode, _benchmark(item, mode, name, wishes, call))


def _benchmark(item: pytest.Item, mode: Mode, name: str, wishes: Wishes, call: ModelCall) -> Benchmark:
    chosen = wishes.metrics_of(tuple(call.metrics) or DEFAULT_METRICS)
    own = {key: str(value) for key, value in call.parameters.items()}
    is_built = call.model.startswith(ZOO)  # a zoo model is built for its batch, another one has it bound
    if call.batch is not None and is_built:
        own["batch"] = str(call.batch)
    shapes = {name: tuple(map(int, shape)) for name, shape in call.inputs.items()}
    benchmark = Benchmark(
        name=name,
        device=call.device,
        backend=SIMULATED,
        model=call.model,
        place=place_of(item),
        test=item.nodeid,
        runs=DEFAULT_RUNS,
        samples=call.samples,
        noise=call.noise,
        metrics=chosen,
        preset=call.preset,
        parameters=own,
        inputs=shapes,
        compile=call.compile_source(),
        runtime=call.runtime_source(),
        owner=wishes.owner,
        thresholds=wishes.thresholds(chosen),
        limits={**wishes.limit, **call.limit},
    )
    if is_built or (call.batch is None and not call.bind):
        return benchmark
    bound = bound_inputs(mode.measurer.model_of(benchmark), call.bind, call.batch, item.nodeid)
    return msgspec.structs.replace(benchmark, inputs={**bound, **shapes})
