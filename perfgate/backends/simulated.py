"""The simulated backend: compile once, simulate once, draw runs of samples with seeded noise."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate import __version__
from perfgate.backends.benchmark_arithmetic import explain_benchmark
from perfgate.backends.protocol import Description, Request
from perfgate.backends.simulated_program import CompiledBenchmark, compile_benchmark
from perfgate.core.errors import UsageError
from perfgate.core.record import Run
from perfgate.npu.kernel_cost import COST_MODEL
from perfgate.npu.list_schedule import Sharing
from perfgate.npu.noise import NoiseKey, draw_samples, noise_preset
from perfgate.npu.phase import Phase, simulate_iterations, step_cache_note
from perfgate.npu.profiling import build_profile
from perfgate.npu.what_if import Subject, WhatIfRow, what_if

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from perfgate.compiler.cache import CompileCache
    from perfgate.compiler.flag_values import FileReader
    from perfgate.core.execution_profile import Profile
    from perfgate.graph.ir import Graph
    from perfgate.npu.copy_arithmetic import ArithmeticLine

NAME = "simulated"
LATENCY_METRICS = frozenset({"latency", "p50_latency", "p95_latency", "p99_latency"})
THROUGHPUT = "throughput"
ESTIMATED_WARNING = 0.2  # SIMULATOR section 2: beyond this share of the time the record carries a warning
_SECONDS_PER_PS = 1e-12
DEFAULT_WARMUP = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedBackend:
    """`devices` are folders with device files of the repository; `read` gives files that flags name.

    `sharing` is how kernels that overlap on several streams share memory; `exact` costs a little more time.
    """

    devices: tuple[Path, ...] = ()
    read: FileReader | None = None
    cache: CompileCache | None = None
    sharing: Sharing = Sharing.FAST

    @property
    def name(self) -> str:
        """As the suite names it."""
        return NAME

    @property
    def is_deterministic(self) -> bool:
        """Every sample follows from the request."""
        return True

    def open(self, request: Request) -> SimulatedSession:
        """Compile and simulate the benchmark.

        Raises:
            PerfgateError: model, settings, device, noise or metrics cannot be used as asked.
        """
        noise_preset(request.noise)
        unknown = [name for name in request.metrics if name not in LATENCY_METRICS | {THROUGHPUT}]
        if unknown:
            remedy = f"use {', '.join(sorted(LATENCY_METRICS))} or {THROUGHPUT}"
            raise UsageError(f"the simulator has no samples of {unknown[0]!r}", request.place, remedy)
        compiled = compile_benchmark(request, self.devices, self.read, self.cache)
        phases = simulate_iterations(
            compiled.program, compiled.device, compiled.runtime, compiled.iterations, self.sharing
        )
        return SimulatedSession(request, compiled, phases)


class SimulatedSession:
    """One benchmark with its simulated execution; runs are drawn, never repeated work."""

    __slots__ = ("_compiled", "_phases", "_profile", "_request")

    def __init__(self, request: Request, compiled: CompiledBenchmark, phases: Sequence[Phase]) -> None:
        self._request = request
        self._compiled = compiled
        self._phases = tuple(phases)
        self._profile: Profile | None = None

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The simulated steps, for what-ifs and reports."""
        return self._phases

    def describe(self) -> Description:
        """Facts that hold for all runs."""
        request, compiled, profile = self._request, self._compiled, self.profile()
        return Description(
            device=compiled.device.name,
            inputs=compiled.inputs,
            protocol={
                "samples": str(request.samples),
                "warmup": str(_warmup(request)),
                "noise": request.noise,
                "iterations": str(compiled.iterations),
            },
            exact=dict(profile.exact),
            model_digest=hashlib.sha256(request.model).hexdigest(),
            device_digest=compiled.device.digest,
            cost_model=COST_MODEL,
            context={
                "perfgate": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "seed": str(request.seed),
                "compile_cache": "hit" if compiled.is_cached else "miss",
            },
            notes=self._notes(profile),
        )

    def measure(self, run: int) -> Run:
        """The samples of one run; asking for others first or later changes nothing.

        Raises:
            UsageError: the seed does not fit 64 bits.
        """
        request = self._request
        total_ps = sum(phase.total_ps for phase in self._phases)
        key = NoiseKey(seed=request.seed, benchmark=request.benchmark, device=self._compiled.device.name)
        warmup = _warmup(request)
        count = warmup + request.samples
        drawn = draw_samples(total_ps, noise_preset(request.noise), key, runs=(run,), count=count)[0]
        seconds = (drawn * _SECONDS_PER_PS).tolist()
        return Run(
            id=run,
            seed=request.seed,
            samples=_by_metric(request.metrics, seconds[warmup:]),
            warmup=_by_metric(request.metrics, seconds[:warmup]),
        )

    def profile(self) -> Profile:
        """One traced execution on five levels; noise never touches it."""
        if self._profile is None:
            self._profile = build_profile(self._phases, self._compiled.notes, self._compiled.shapes)
        return self._profile

    def explain(self) -> tuple[ArithmeticLine, ...]:
        """The arithmetic behind the simulated time, in lines to check by hand."""
        return explain_benchmark(self._request, self._subject(), self._phases)

    def what_if(self, load: Callable[[int], Graph] | None = None) -> tuple[WhatIfRow, ...]:
        """The benchmark with one knob turned at a time; `load` gives the model with its batch multiplied."""
        return what_if(self._subject(load))

    def close(self) -> None:
        """Nothing to give back."""

    def _subject(self, load: Callable[[int], Graph] | None = None) -> Subject:
        compiled = self._compiled
        return Subject(
            graph=compiled.graph,
            config=compiled.config,
            runtime=compiled.runtime,
            device=compiled.device,
            iterations=compiled.iterations,
            load=load,
        )

    def _notes(self, profile: Profile) -> tuple[str, ...]:
        request, compiled = self._request, self._compiled
        notes = list(compiled.notes)
        cache_note = step_cache_note(compiled.program, compiled.runtime, compiled.iterations)
        if cache_note:
            notes.append(cache_note)
        share = profile.application.estimated_share
        if share > ESTIMATED_WARNING:
            notes.append(f"{share:.0%} of the time is spent in operators whose cost is only estimated")
        if noise_preset(request.noise).is_silent:
            notes.append(
                f"noise preset {request.noise!r}: all samples are equal, a test has nothing to judge"
            )
        return tuple(notes)


def _warmup(request: Request) -> int:
    return DEFAULT_WARMUP if request.warmup is None else request.warmup


def _by_metric(names: Sequence[str], seconds: list[float]) -> dict[str, tuple[float, ...]]:
    latencies = tuple(seconds)
    return {
        name: tuple(1.0 / value for value in latencies) if name == THROUGHPUT else latencies for name in names
    }
