"""The `python` backend: a `module:function` on the real clock, each run in a fresh process."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfgate.backends.machine_facts import machine_facts, python_version
from perfgate.backends.process import run_bounded
from perfgate.backends.protocol import Description
from perfgate.backends.timed_run import read_run, run_notes
from perfgate.core.errors import UsageError
from perfgate.core.machine import RESOLUTION

if TYPE_CHECKING:
    from perfgate.backends.protocol import Request
    from perfgate.core.record import Run

NAME = "python"
METRICS = ("latency", "cpu_time", "throughput")
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
        unknown = next((name for name in request.metrics if name not in METRICS), None)
        if unknown is not None:
            what = f"a Python function has no samples of {unknown!r}"
            raise UsageError(what, request.place, f"use {', '.join(METRICS)}")
        return PythonSession(request)


@dataclass(slots=True)
class PythonSession:
    """One function; what its runs said is collected for the record's notes."""

    request: Request
    notes: dict[str, None] = field(default_factory=dict)
    context: dict[str, str] = field(default_factory=dict)

    def describe(self) -> Description:
        """Facts that hold for all runs taken so far."""
        request = self.request
        return Description(
            device=request.device,
            inputs={},
            protocol=timed_protocol(request.samples, request.warmup),
            exact={},
            model_digest=hashlib.sha256(request.call.encode()).hexdigest(),
            context={**timed_context(), "seed": str(request.seed), **self.context},
            notes=tuple(self.notes),
        )

    def measure(self, run: int) -> Run:
        """The rounds of one fresh process with a hash seed of its own.

        Raises:
            UsageError: the function fails, ends the process or runs out of time.
        """
        request = self.request
        with tempfile.TemporaryDirectory(prefix="perfgate-") as folder:
            task, result = Path(folder) / "task.json", Path(folder) / "result.json"
            content = {
                "call": request.call,
                "root": str(Path(request.root).resolve()),
                "plan": {"samples": request.samples, "warmup": request.warmup},
                "result": str(result),
            }
            task.write_text(json.dumps(content), encoding="utf-8")
            done = run_bounded(
                [sys.executable, "-P", "-m", CHILD, str(task)],
                folder=Path(request.root),
                environment={**os.environ, "PYTHONHASHSEED": hash_seed(request, run)},
                seconds=request.timeout,
            )
            if not result.exists():
                said = f", its last words: {done.last_words}" if done.last_words else ""
                what = f"run {run} of {request.call} {done.ending}{said}"
                raise UsageError(what, request.place, "mend the function, or raise `timeout`")
            answer: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        if "failure" in answer:
            remedy = "mend the function; it is called without arguments"
            raise UsageError(f"{request.call} failed, {answer['failure']}", request.place, remedy)
        self.notes.update(dict.fromkeys(run_notes(answer, run)))
        self.context[RESOLUTION] = f"{answer['resolution']:.3g}"
        return read_run(answer, run, request.seed, request.metrics)

    def profile(self) -> None:
        """A function has no profile of operators."""

    def close(self) -> None:
        """Nothing stays open between runs."""


def timed_context() -> dict[str, str]:
    """The machine and the Python that a timed record was made on."""
    return machine_facts(python_version())


def timed_protocol(samples: int, warmup: int | None, *, is_collected: bool = True) -> dict[str, str]:
    """What must be equal for timed samples to be comparable."""
    return {
        "samples": str(samples),
        "warmup": "auto" if warmup is None else str(warmup),
        "gc": "on" if is_collected else "off",
    }


def hash_seed(request: Request, run: int) -> str:
    """A hash seed for each run that another seed of the gate does not share."""
    return str(random.Random(f"{request.seed}:{request.benchmark}:{run}").randrange(1, 2**32))  # noqa: S311 - no secret
