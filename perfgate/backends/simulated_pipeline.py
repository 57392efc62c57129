"""A pipeline on the simulated device: model stages are compiled and simulated, then the frames are run."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate import __version__
from perfgate.backends.pipeline_profile import FrameRun, pipeline_profile
from perfgate.backends.protocol import Description
from perfgate.core.errors import UsageError
from perfgate.core.metric import BRANCH_LATENCY
from perfgate.core.record import Run
from perfgate.core.setting import stage_of
from perfgate.core.units import PS_PER_SECOND
from perfgate.npu.device_file import load_device
from perfgate.npu.kernel_cost import COST_MODEL
from perfgate.npu.noise import NoiseKey, draw_samples, noise_preset
from perfgate.zoo.frames import resource_loads, run_frames
from perfgate.zoo.pipeline_settings import read_pipeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.backends.protocol import Request, StageRequest
    from perfgate.backends.simulated import SimulatedBackend, SimulatedSession
    from perfgate.core.device import Device
    from perfgate.core.execution_profile import Profile
    from perfgate.core.setting import Setting
    from perfgate.zoo.perception import Pipeline

FRAMES = 30  # one second at 30 frames per second
DEFAULT_WARMUP = 20
THROUGHPUT = "throughput"


@dataclass(frozen=True, slots=True)
class SimulatedPipeline:
    """One pipeline with its simulated frames; runs are drawn, never repeated work."""

    request: Request
    device: Device
    pipeline: Pipeline
    frames: FrameRun

    def describe(self) -> Description:
        """Facts that hold for all runs."""
        request = self.request
        report = self.frames.report
        branches = {
            f"{BRANCH_LATENCY}.{name}": time / PS_PER_SECOND
            for name, time in report.branch_latency_ps.items()
        }
        return Description(
            device=self.device.name,
            inputs={},
            protocol={
                "samples": str(request.samples),
                "warmup": str(self._warmup),
                "noise": request.noise,
                "iterations": str(request.iterations or FRAMES),
            },
            exact={**self.profile().exact, **branches},
            model_digest=hashlib.sha256(request.model).hexdigest(),
            device_digest=self.device.digest,
            cost_model=COST_MODEL,
            context={
                "perfgate": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "seed": str(request.seed),
            },
            notes=self._notes(),
        )

    def measure(self, run: int) -> Run:
        """The samples of one run: the worst frame's latency, and the frames per second, with one noise."""
        request, report = self.request, self.frames.report
        key = NoiseKey(seed=request.seed, benchmark=request.benchmark, device=self.device.name)
        count = self._warmup + request.samples
        drawn = draw_samples(report.latency_ps, noise_preset(request.noise), key, runs=(run,), count=count)[0]
        latencies = (drawn / PS_PER_SECOND).tolist()
        rates = (report.frames_per_second * (report.latency_ps / drawn)).tolist()
        samples = {name: rates if name == THROUGHPUT else latencies for name in request.metrics}
        return Run(
            id=run,
            seed=request.seed,
            samples={name: tuple(values[self._warmup :]) for name, values in samples.items()},
            warmup={name: tuple(values[: self._warmup]) for name, values in samples.items()},
        )

    def profile(self) -> Profile:
        """The stages of the worst frame as operators and kernels on the resources; noise never touches it."""
        return pipeline_profile(self.pipeline, self.device, self.frames)

    def close(self) -> None:
        """Nothing to give back."""

    @property
    def _warmup(self) -> int:
        return DEFAULT_WARMUP if self.request.warmup is None else self.request.warmup

    def _notes(self) -> tuple[str, ...]:
        loads = resource_loads(self.pipeline, self.frames.report.loads)
        over = sorted(resource for resource, load in loads.items() if load > 1)
        notes = [
            f"{resource} has more work than time: waits grow with every frame, so the latency is that of "
            f"frame {self.frames.report.worst_frame}"
            for resource in over
        ]
        if noise_preset(self.request.noise).is_silent:
            notes.append(
                f"noise preset {self.request.noise!r}: all samples are equal, a test has nothing to judge"
            )
        return (*notes, *self.frames.notes)


@dataclass(frozen=True, slots=True)
class PipelineBackend:
    """The simulated backend for pipelines as well: `models` runs what is no pipeline, and their stages."""

    models: SimulatedBackend

    @property
    def name(self) -> str:
        """As the suite names it."""
        return self.models.name

    @property
    def is_deterministic(self) -> bool:
        """Every sample follows from the request."""
        return self.models.is_deterministic

    def open(self, request: Request) -> SimulatedSession | SimulatedPipeline:
        """Simulate the models of all stages, then the frames.

        Raises:
            PerfgateError: pipeline, models, settings or device cannot be used as asked.
        """
        if not request.pipeline:
            return self.models.open(request)
        noise_preset(request.noise)
        pipeline = read_pipeline(request.benchmark, request.pipeline, request.place)
        device = load_device(request.device, search=self.models.devices)
        times: dict[str, int] = {}
        memory: dict[str, int] = {}
        notes: list[str] = []
        for stage in pipeline.stages:
            if not stage.model:
                continue
            if stage.name not in request.stages:
                what = f"the model of the stage {stage.name!r} is not here"
                raise UsageError(what, request.place, "write the pipeline out, with a model for the stage")
            asked = _stage_request(request, stage.name, request.stages[stage.name], stage.batch)
            found = self.models.open(asked).profile()
            times[stage.name] = found.application.total_ps
            memory[stage.name] = found.hardware.memory.peak
            notes += [f"{stage.name}: {note}" for note in found.notes]
        report = run_frames(pipeline, request.iterations or FRAMES, times)
        frames = FrameRun(report=report, model_ps=times, memory=memory, notes=tuple(notes))
        return SimulatedPipeline(request, device, pipeline, frames)


def _stage_request(request: Request, name: str, stage: StageRequest, batch: int) -> Request:
    """The stage's model with its own flags and keys, or those of the benchmark if it has none."""
    own = stage.request if batch == 1 else stage.of_batch(batch)
    return msgspec.structs.replace(
        own,
        benchmark=request.benchmark,
        device=request.device,
        compile=_settings_of(name, request.compile),
        runtime=_settings_of(name, request.runtime),
    )


def _settings_of(name: str, settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    by_stage: Mapping[str, list[Setting]] = {"": [], name: []}
    for item in settings:
        stage, own = stage_of(item.name)
        if stage in by_stage:
            by_stage[stage].append(msgspec.structs.replace(item, name=own))
    return tuple(by_stage[name] or by_stage[""])
