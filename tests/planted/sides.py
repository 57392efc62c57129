"""Both sides of a planted fault: what is measured before and after, without the gate around it."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import onnx

from perfgate.backends.protocol import Request
from perfgate.backends.simulated import SimulatedBackend
from perfgate.backends.simulated_pipeline import PipelineBackend
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Record, Ruler, Subject
from perfgate.core.setting import Setting
from perfgate.diagnose.engine import Observation
from perfgate.measure.pipeline_source import SHIPPED
from perfgate.measure.simulation_input import SimulationInput
from perfgate.zoo.catalogue import build
from perfgate.zoo.perception import PIPELINES
from perfgate.zoo.pipeline_settings import settings_of
from tests.planted.model_edits import edited
from tests.planted.scenario import Scenario, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfgate.core.execution_profile import Profile

SCRIPT, RUNTIME_FILE = "deploy/convert.sh", "deploy/runtime_config.yaml"
PIPELINE_FILE = "deploy/pipeline.yaml"
METRICS = tuple(KNOWN_METRICS[name] for name in ("latency", "copied_bytes", "peak_memory", "energy_j"))
_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedInput(SimulationInput):
    """A simulation that is not repeated for another noise or seed, which a profile does not depend on."""

    def profile(self) -> Profile:
        """The traced execution, out of the memory of this process if it is there."""
        request = msgspec.structs.replace(self.request, noise="quiet", seed=0)
        texts = [self.read(item.value or "", "") for item in request.compile if item.name.endswith("_file")]
        devices = [path.read_text() for folder in self.devices for path in sorted(folder.glob("*.yaml"))]
        key = hashlib.sha256(msgspec.json.encode((request, texts, devices))).hexdigest()
        if key not in _PROFILES:
            if len(_PROFILES) >= MOST_REMEMBERED:
                _PROFILES.clear()
            # Zero-argument super() does not work in a dataclass with slots.
            _PROFILES[key] = SimulationInput.profile(self)
        return _PROFILES[key]


MOST_REMEMBERED = 64
_PROFILES: dict[str, Profile] = {}


class MeasuredSide:
    """A record with its profile, and what both were simulated from."""

    def __init__(self, simulation: SimulationInput) -> None:
        models = SimulatedBackend(devices=simulation.devices, read=simulation.read)
        session = PipelineBackend(models).open(simulation.request)
        request, found = simulation.request, session.describe()
        self.simulation = simulation
        self.record = Record(
            benchmark=request.benchmark,
            device=request.device,
            backend="simulated",
            ruler=Ruler(
                inputs=found.inputs,
                metrics=tuple(
                    metric for metric in METRICS if metric.is_sampled or metric.name in found.exact
                ),
                protocol=found.protocol,
                device_digest=found.device_digest,
                cost_model=found.cost_model,
            ),
            subject=Subject(
                model=request.model_name,
                model_digest=found.model_digest,
                compile=request.compile,
                runtime=request.runtime,
                files=self._digests(),
                pipeline=request.pipeline,
            ),
            runs=tuple(session.measure(number) for number in range(_RUNS)),
            exact={metric.name: found.exact[metric.name] for metric in METRICS if metric.name in found.exact},
        )
        self.observation = Observation(record=self.record, profile=session.profile())

    def _digests(self) -> dict[str, str]:
        names = [item.value for item in self.simulation.request.compile if item.name.endswith("_file")]
        return {name: self.simulation.read(name, "") for name in names if name}


@contextlib.contextmanager
def planted(scenario: Scenario, *, seed: int = 0) -> Iterator[tuple[MeasuredSide, MeasuredSide]]:
    """Before and after; files of devices live as long as the context."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        yield (
            MeasuredSide(_side(scenario, Path(folder, "before"), is_after=False, seed=seed)),
            MeasuredSide(_side(scenario, Path(folder, "after"), is_after=True, seed=seed + 1)),
        )


def _side(scenario: Scenario, folder: Path, *, is_after: bool, seed: int) -> SimulationInput:
    flags, keys = dict(scenario.compile), dict(scenario.runtime)
    parameters, preset = dict(scenario.parameters), scenario.preset
    device_edits: dict[str, Any] = {}
    files: dict[str, str] = {}
    edits = []
    for plant in scenario.plants:
        value = plant.to if is_after else plant.from_
        if plant.flag is not None:
            _put(flags, plant.flag, value)
        elif plant.runtime is not None:
            _put(keys, plant.runtime, value)
        elif plant.device is not None:
            _put(device_edits, plant.device, value)
        elif plant.parameter is not None or plant.stage is not None:
            _put(parameters, plant.parameter or plant.stage or "", value)
        elif plant.preset is not None:
            preset = text_of(value)
        elif plant.file is not None:
            files[plant.file] = str(value or "")
        elif is_after:
            edits.append((plant.edit or "", plant.at, plant.times))
    has_device_edit = any(plant.device is not None for plant in scenario.plants)
    device = _device(scenario.device, folder, device_edits) if has_device_edit else scenario.device
    is_pipeline = scenario.model == SHIPPED
    pipeline = _pipeline(preset or "branches", parameters) if is_pipeline else ()
    model = (
        b""
        if is_pipeline
        else _model(scenario.model, preset, tuple(sorted(parameters.items())), tuple(edits))
    )
    request = Request(
        benchmark=scenario.model.partition(":")[2] or scenario.model,
        device=device,
        model=model,
        model_name=scenario.model,
        pipeline=pipeline,
        compile=_settings(flags, SCRIPT),
        runtime=_settings(keys, RUNTIME_FILE),
        iterations=scenario.iterations,
        noise=scenario.noise,
        seed=seed,
    )
    return RememberedInput(request=request, read=lambda name, _: files[name], devices=(folder,))


def _put(settings: dict[str, Any], name: str, value: Any) -> None:  # noqa: ANN401 - a YAML scalar
    if value is None:
        settings.pop(name, None)
    else:
        settings[name] = value


def _settings(values: Mapping[str, Any], path: str) -> tuple[Setting, ...]:
    """Flags and keys in order, each on a line of its own."""
    return tuple(
        Setting(name=name, value=text_of(value), place=f"{path}:{line}:5")
        for line, (name, value) in enumerate(values.items(), 2)
    )


def _pipeline(preset: str, changed: Mapping[str, Any]) -> tuple[Setting, ...]:
    """A shipped pipeline as its file would say it, with settings changed."""
    values = {item.name: item.value for item in settings_of(PIPELINES[preset])}
    return _settings({**values, **changed}, PIPELINE_FILE)


def _device(base: str, folder: Path, edits: Mapping[str, Any]) -> str:
    """A device of the repository that inherits from a built-in one, with values changed."""
    lines = ["name: planted", f"base: {base}"]
    tree: dict[str, dict[str, Any]] = {}
    for dotted, value in edits.items():
        first, _, second = dotted.partition(".")
        if second:
            tree.setdefault(first, {})[second] = value
        else:
            lines.append(f"{first}: [{text_of(value)}, A, planted]")
    for first, values in tree.items():
        lines.append(f"{first}:")
        lines += [f"  {key}: [{text_of(value)}, A, planted]" for key, value in values.items()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "planted.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "planted"


@lru_cache(maxsize=64)
def _model(
    name: str,
    preset: str | None,
    parameters: tuple[tuple[str, Any], ...],
    edits: tuple[tuple[str, str, int], ...],
) -> bytes:
    kind, _, rest = name.partition(":")
    if kind == "zoo":
        sizes = {key: int(value) if str(value).isdecimal() else value for key, value in parameters}
        model = build(rest, preset, **sizes)
    else:
        folder = Path(str(onnx.__file__)).parent / "backend" / "test" / "data" / "light"
        model = onnx.load(folder / f"{rest}.onnx")
    for edit, at, times in edits:
        model = edited(model, edit, at, times)
    return bytes(model.SerializeToString())
