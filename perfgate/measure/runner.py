"""From a benchmark to its record: read the sources, compile and simulate once, draw the runs."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate import __version__
from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.shape_flags import input_shape_bindings
from perfgate.core.errors import UsageError
from perfgate.core.profile import summarise
from perfgate.core.record import Record, Ruler, Run, Subject
from perfgate.graph.loading import load
from perfgate.measure.compile_source import compile_settings, runtime_settings
from perfgate.measure.model_source import read_model
from perfgate.npu.device_file import load_device
from perfgate.npu.noise import NoiseKey, draw_samples, noise_preset
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from perfgate.core.device import Device
    from perfgate.core.profile import Profile
    from perfgate.core.setting import Setting
    from perfgate.graph.ir import Graph
    from perfgate.measure.benchmark import Benchmark

WARMUP_SAMPLES = 20
_PS = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    graph: Graph
    device: Device
    model: bytes
    compile: tuple[Setting, ...]
    runtime: tuple[Setting, ...]
    phases: Sequence[Phase]
    profile: Profile


class Runner:
    """provisional."""

    def __init__(self, read: Callable[..., bytes], root: Path, *, seed: int) -> None:
        self._read = read
        self._root = root
        self._seed = seed
        self._prepared: dict[str, _Prepared] = {}

    def record(self, benchmark: Benchmark, runs: int) -> Record:
        prepared = self._prepare(benchmark)
        graph = prepared.graph
        inputs = {}
        for name in graph.inputs:
            tensor = graph.tensors[name]
            inputs[name] = f"{tensor.dtype}[{','.join(map(str, tensor.shape))}]"
        exact = {
            metric.name: prepared.profile.exact[metric.name]
            for metric in benchmark.metrics
            if not metric.is_sampled
        }
        return Record(
            benchmark=benchmark.name,
            device=benchmark.device,
            backend=benchmark.backend,
            ruler=Ruler(
                inputs=inputs,
                metrics=benchmark.metrics,
                protocol={
                    "samples": str(benchmark.samples),
                    "warmup": str(WARMUP_SAMPLES),
                    "noise": benchmark.noise,
                    "iterations": str(prepared.profile.application.iterations),
                },
                device_digest=prepared.device.digest,
                cost_model="1",
            ),
            subject=Subject(
                model=benchmark.model,
                model_digest=hashlib.sha256(prepared.model).hexdigest(),
                compile=prepared.compile,
                runtime=prepared.runtime,
            ),
            runs=self.runs(benchmark, 0, runs),
            exact=exact,
            context={"perfgate": __version__, "python": platform.python_version()},
            profile=summarise(prepared.profile),
        )

    def runs(self, benchmark: Benchmark, first: int, count: int) -> tuple[Run, ...]:
        prepared = self._prepare(benchmark)
        key = NoiseKey(seed=self._seed, benchmark=benchmark.name, device=benchmark.device)
        numbers = range(first, first + count)
        rows = draw_samples(
            prepared.profile.application.total_ps,
            noise_preset(benchmark.noise),
            key,
            runs=numbers,
            count=WARMUP_SAMPLES + benchmark.samples,
        )
        return tuple(
            Run(
                id=number,
                seed=self._seed,
                samples={"latency": tuple(value * _PS for value in row[WARMUP_SAMPLES:].tolist())},
            )
            for number, row in zip(numbers, rows, strict=True)
        )

    def explain(self, benchmark: Benchmark) -> list[str]:
        from perfgate.npu.copy_arithmetic import explain_execution

        return [
            f"  {line.quantity}: {line.arithmetic} = {line.result}"
            for line in explain_execution(self._prepare(benchmark).phases)
        ]

    def _prepare(self, benchmark: Benchmark) -> _Prepared:
        if benchmark.key not in self._prepared:
            self._prepared[benchmark.key] = self._simulated(benchmark)
        return self._prepared[benchmark.key]

    def _simulated(self, benchmark: Benchmark) -> _Prepared:
        device = load_device(benchmark.device, search=[self._root / "devices"])
        compiled = compile_settings(benchmark, self._read)
        runtime = runtime_settings(benchmark, self._read)
        model = read_model(benchmark, self._read)
        config = CompileConfig.from_settings(compiled)
        runtime_config = RuntimeConfig.from_settings(runtime)
        bindings = dict(input_shape_bindings(config)[0].bindings) or dict(benchmark.inputs)
        graph = load(
            model,
            bindings=bindings,
            branches=benchmark.branches,
            trip_counts=benchmark.trip_counts,
            bounds=benchmark.bounds,
            name=benchmark.model,
        )
        iterations = benchmark.iterations or int(graph.metadata.get("iterations", "1"))
        program = compile_graph(graph, config, runtime_config, device)
        phases = [Phase(execution=simulate(program, device), times=iterations)]
        return _Prepared(
            graph=graph,
            device=device,
            model=model,
            compile=compiled,
            runtime=runtime,
            phases=phases,
            profile=build_profile(phases),
        )
