"""The `onnxruntime` backend: an ONNX model on a real clock, each run in a fresh process."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import statistics
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.backends.machine_facts import accelerator_facts, machine_facts
from perfgate.backends.measured_process import ask_child
from perfgate.backends.onnx_model import parsed, with_names, with_weights
from perfgate.backends.open_dimensions import bound_shapes
from perfgate.backends.ort_names import ModelNodes
from perfgate.backends.ort_options import SessionOptions, session_options
from perfgate.backends.ort_profile import read_profile
from perfgate.backends.protocol import Description
from perfgate.backends.timed_run import CLOCK_METRICS, read_run, run_notes, run_protocol, utc_now
from perfgate.core.errors import UsageError
from perfgate.core.machine import RESOLUTION, TRACED

if TYPE_CHECKING:
    from perfgate.backends.protocol import Request
    from perfgate.core.execution_profile import Profile
    from perfgate.core.record import Run

NAME = "onnxruntime"
CHILD = "perfgate.measure.onnx_child"  # by name, as the child of the `python` backend
SKETCHES = "zoo:"  # models of shapes without weights
SETUP = -1  # number of the process that looks at the model, apart from the runs'


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A model that ONNX Runtime has loaded once: `task` is what every process is told about it."""

    task: dict[str, Any]
    inputs: dict[str, str]
    version: str
    options: SessionOptions
    folder: Path


@dataclass(frozen=True, slots=True)
class OnnxRuntimeBackend:
    """Runs ONNX models on the processor, or on what else its build can."""

    @property
    def name(self) -> str:
        """As the suite names it."""
        return NAME

    @property
    def is_deterministic(self) -> bool:
        """A real clock."""
        return False

    def open(self, request: Request) -> OnnxRuntimeSession:
        """Load the model once in a process of its own, bind its open dimensions, check its outputs.

        Raises:
            UsageError: onnxruntime is not installed; options, model, dimensions or metrics cannot be used; or
                the outputs are not those of the reference.
        """
        if importlib.util.find_spec(NAME) is None:
            what = "onnxruntime is not installed"
            raise UsageError(what, request.place, "run: pip install 'perfgate[ort]'")
        unknown = next((name for name in request.metrics if name not in CLOCK_METRICS), None)
        if unknown is not None:
            what = f"onnxruntime has no samples of {unknown!r}"
            raise UsageError(what, request.place, f"use {', '.join(CLOCK_METRICS)}")
        options = session_options(request.compile)
        folder = Path(tempfile.mkdtemp(prefix="perfgate-"))
        try:
            ready = _loaded(request, options, folder)
            _check_outputs(request, ready)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return OnnxRuntimeSession(request, ready)


@dataclass(slots=True, weakref_slot=True)
class OnnxRuntimeSession:
    """One model; the folder with its copy is removed with the session."""

    request: Request
    ready: Ready
    notes: dict[str, None] = field(default_factory=dict)
    resolution: float = 0.0
    traced: Profile | None = None
    traced_seconds: float = 0.0

    def __post_init__(self) -> None:
        weakref.finalize(self, shutil.rmtree, self.ready.folder, ignore_errors=True)

    def describe(self) -> Description:
        """Facts that hold for all runs; the number of kernels comes from the traced execution."""
        request, ready = self.request, self.ready
        context = {**machine_facts(f"onnxruntime {ready.version}"), "seed": str(request.seed)}
        if not ready.options.is_cpu:
            context |= accelerator_facts()
        profile = self.profile()
        context[TRACED] = f"{self.traced_seconds:.4g}"
        if self.resolution:
            context[RESOLUTION] = f"{self.resolution:.3g}"
        return Description(
            device=request.device,
            inputs=ready.inputs,
            protocol=run_protocol(request.samples, request.warmup),
            exact=profile.exact,
            model_digest=hashlib.sha256(request.model).hexdigest(),
            context=context,
            notes=tuple(self.notes),
        )

    def measure(self, run: int) -> Run:
        """The rounds of one fresh process.

        Raises:
            UsageError: the model fails, or runs out of time.
        """
        request, started = self.request, utc_now()
        plan = {"samples": request.samples, "warmup": request.warmup}
        answer = _ask(request, self.ready.task | {"mode": "measure", "plan": plan}, run)
        self.notes.update(dict.fromkeys(run_notes(answer, run)))
        self.resolution = max(self.resolution, answer["resolution"])
        return read_run(answer, run, request.seed, request.metrics, started)

    def profile(self) -> Profile:
        """One traced execution in a process of its own; the first call warms up.

        Raises:
            UsageError: as `measure`, or the trace is empty.
        """
        if self.traced is None:
            request, task = self.request, self.ready.task | {"mode": "trace"}
            proto = parsed(request.model, request.model_name, request.place)
            named = with_names(proto)
            if named is not None and not request.model_name.startswith(SKETCHES):
                path = self.ready.folder / "named.onnx"
                path.write_bytes(named)
                task |= {"model": str(path)}
            answer = _ask(request, task, SETUP)
            self.traced_seconds = statistics.median(answer["seconds"][1:] or answer["seconds"])
            try:
                self.traced = read_profile(answer["spans"], ModelNodes(proto), request.device)
            except ValueError as problem:
                raise UsageError(str(problem), request.place, "look at the version of onnxruntime") from None
        return self.traced

    def close(self) -> None:
        """Remove the copies of the model."""
        shutil.rmtree(self.ready.folder, ignore_errors=True)


def _loaded(request: Request, options: SessionOptions, folder: Path) -> Ready:
    task: dict[str, Any] = {
        "model": str(_model_file(request, folder)),
        "options": options.values,
        "providers": options.providers,
        "seed": request.seed,
    }
    found = _ask(request, task | {"mode": "inspect"}, SETUP)
    shapes = bound_shapes(found["inputs"], request)
    return Ready(
        task=task | {"shapes": shapes},
        inputs={
            name: f"{kind}[{','.join(map(str, shapes[name]))}]" for name, (kind, _) in found["inputs"].items()
        },
        version=found["version"],
        options=options,
        folder=folder,
    )


def _model_file(request: Request, folder: Path) -> Path:
    """The repository's own file, beside which further data may lie, or a copy of a shipped model."""
    own = Path(request.root).resolve() / request.model_name
    if own.is_file() and own.read_bytes() == request.model:
        return own
    model = request.model
    if request.model_name.startswith(SKETCHES):
        model = with_weights(model, request.model_name, request.place)
    path = folder / "model.onnx"
    path.write_bytes(model)
    return path


def _check_outputs(request: Request, ready: Ready) -> None:
    reference = request.reference
    if reference is None:
        return
    path = ready.folder / "expected.npz"
    if reference.expected:
        path.write_bytes(reference.expected)
    task = ready.task | {
        "mode": "check",
        "expected": str(path) if reference.expected else "",
        "rtol": reference.rtol,
        "atol": reference.atol,
    }
    wrong = _ask(request, task, SETUP)["wrong"]
    if wrong:
        what = f"the outputs of {request.model_name} are wrong: {wrong}"
        raise UsageError(what, request.place, "mend the model or its options, or widen `reference`")


def _ask(request: Request, task: dict[str, Any], run: int) -> dict[str, Any]:
    return ask_child(CHILD, task, request, run, request.model_name)
