"""The `python` backend: a `module:function` on the real clock, each run in a fresh process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.backends.machine_facts import machine_facts, python_version
from perfgate.backends.measured_process import ask_child
from perfgate.backends.protocol import Description
from perfgate.backends.timed_run import CLOCK_METRICS, read_run, run_notes, run_protocol, utc_now
from perfgate.core.errors import UsageError
from perfgate.core.machine import RESOLUTION

if TYPE_CHECKING:
    from perfgate.backends.protocol import Request
    from perfgate.core.record import Run

NAME = "python"
CHILD = "perfgate.measure.child"  # by name: the measured process, which imports nothing else of perfgate


@dataclass(frozen=True, slots=True)
class PythonBackend:
    """Runs `module:function` of the code below the request's root."""

    @property
    def name(self) -> str:
        """As the suite names it."""
        return NAME

    @property
    def is_deterministic(self) -> bool:
        """A real clock."""
        return False

    def open(self, request: Request) -> PythonSession:
        """Check what can be checked without running anything.

        Raises:
            UsageError: no function, or a metric that this clock cannot take.
        """
        module, _, function = request.call.partition(":")
        if not all(part.isidentifier() for name in (module, function) for part in name.split(".")):
            what = f"{request.call!r} names no function"
            raise UsageError(what, request.place, "write `call: package.module:function`")
        unknown = next((name for name in request.metrics if name not in CLOCK_METRICS), None)
        if unknown is not None:
            what = f"a Python function has no samples of {unknown!r}"
            raise UsageError(what, request.place, f"use {', '.join(CLOCK_METRICS)}")
        return PythonSession(request)


@dataclass(slots=True)
class PythonSession:
    """One function; what its runs said is collected for the record, the clock's coarsest step among it."""

    request: Request
    notes: dict[str, None] = field(default_factory=dict)
    resolution: float = 0.0

    def describe(self) -> Description:
        """Facts that hold for all runs taken so far."""
        request = self.request
        context = {**timed_context(), "seed": str(request.seed)}
        if self.resolution:
            context[RESOLUTION] = f"{self.resolution:.3g}"
        return Description(
            device=request.device,
            inputs={},
            protocol=timed_protocol(request.samples, request.warmup),
            exact={},
            model_digest=hashlib.sha256(request.call.encode()).hexdigest(),
            context=context,
            notes=tuple(self.notes),
        )

    def measure(self, run: int) -> Run:
        """The rounds of one fresh process with a hash seed of its own.

        Raises:
            UsageError: the function fails, ends the process or runs out of time.
        """
        request, started = self.request, utc_now()
        task = {
            "call": request.call,
            "root": str(Path(request.root).resolve()),
            "plan": {"samples": request.samples, "warmup": request.warmup},
        }
        answer = ask_child(CHILD, task, request, run, request.call)
        self.notes.update(dict.fromkeys(run_notes(answer, run)))
        self.resolution = max(self.resolution, answer["resolution"])
        return read_run(answer, run, request.seed, request.metrics, started)

    def profile(self) -> None:
        """A function has no profile of operators."""

    def close(self) -> None:
        """Nothing stays open between runs."""


def timed_context() -> dict[str, str]:
    """The machine and the Python that a timed record was made on."""
    return machine_facts(python_version())


def timed_protocol(samples: int, warmup: int | None, *, is_collected: bool = True) -> dict[str, str]:
    """What must be equal for timed samples of Python code to be comparable."""
    return run_protocol(samples, warmup) | {"gc": "on" if is_collected else "off"}
