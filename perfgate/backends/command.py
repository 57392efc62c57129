"""The `command` backend: a program without a shell, its wall time or the numbers that it reports."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.backends.launch_reports import KEPT_BYTES, LaunchReports
from perfgate.backends.machine_facts import accelerator_facts, machine_facts
from perfgate.backends.process import on_one_line, run_bounded
from perfgate.backends.protocol import Description
from perfgate.backends.readings import ReadingError, read_values
from perfgate.backends.timed_run import CLOCK_METRICS, THROUGHPUT, run_protocol, utc_now
from perfgate.core.errors import InfrastructureError, UsageError
from perfgate.core.record import Run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.backends.launch import Launch
    from perfgate.backends.protocol import Request

NAME = "command"
REMEDY = "mend the command, or `metrics` and `exit_code` of the benchmark"


@dataclass(frozen=True, slots=True)
class CommandBackend:
    """Starts programs of the repository or of the machine."""

    @property
    def name(self) -> str:
        """As the suite names it."""
        return NAME

    @property
    def is_deterministic(self) -> bool:
        """A real clock."""
        return False

    def open(self, request: Request) -> CommandSession:
        """Check what can be checked without running anything.

        Raises:
            UsageError: no command, no such folder, or a metric without a source.
        """
        launch = request.launch
        if launch is None or not launch.argv or not launch.argv[0]:
            raise UsageError("an empty command", request.place, "write `command: [program, argument]`")
        sources = {reading.metric for reading in launch.readings}
        unknown = next((name for name in request.metrics if name not in sources | set(CLOCK_METRICS)), None)
        if unknown is not None:
            remedy = f"say where it stands in `metrics`; without a source: {', '.join(CLOCK_METRICS)}"
            raise UsageError(f"a command has no samples of {unknown!r}", request.place, remedy)
        root = Path(request.root).resolve()
        folder = (root / launch.folder).resolve()
        if not folder.is_dir() or not folder.is_relative_to(root):
            what = f"the folder {launch.folder!r} is not in the repository"
            raise UsageError(what, request.place, "correct `folder`")
        for reading in launch.readings:
            if reading.file and not (folder / reading.file).parent.resolve().is_relative_to(root):
                what = f"the file {reading.file!r} is not in the repository"
                raise UsageError(what, request.place, f"correct `file` of {reading.metric}")
        return CommandSession(request, launch, folder)


@dataclass(slots=True)
class CommandSession:
    """One command; nothing of it runs between two launches."""

    request: Request
    launch: Launch
    folder: Path
    notes: dict[str, None] = field(default_factory=dict)

    def describe(self) -> Description:
        """Facts that hold for all runs. The command is part of the ruler: it says how much work is done."""
        request, launch = self.request, self.launch
        protocol = run_protocol(request.samples, request.warmup) | {"command": launch.text}
        if launch.folder != ".":
            protocol["folder"] = launch.folder
        protocol |= {f"environment {name}": value for name, value in sorted(launch.environment.items())}
        protocol |= {f"source of {reading.metric}": reading.text for reading in launch.readings}
        return Description(
            device=request.device,
            inputs={},
            protocol=protocol,
            exact={},
            model_digest=hashlib.sha256(launch.text.encode()).hexdigest(),
            context={**machine_facts(""), **accelerator_facts(), "seed": str(request.seed)},
            notes=tuple(self.notes),
        )

    def measure(self, run: int) -> Run:
        """Launches until every metric has as many samples as asked; one that reports many at once runs once.

        A warm-up of "auto" is the first launch, unless that one alone is the whole run.

        Raises:
            InfrastructureError: the command runs out of time or is killed.
            UsageError: it cannot be started, fails, or its numbers cannot be read.
        """
        request, started = self.request, utc_now()
        warmup: dict[str, list[float]] = {}
        for _ in range(request.warmup or 0):
            _append(warmup, self._once(run))
        samples: dict[str, list[float]] = {}
        _append(samples, self._once(run))
        if request.warmup is None and not self._is_enough(samples):
            warmup, samples = samples, {}
        while not self._is_enough(samples):
            _append(samples, self._once(run))
        return Run(
            id=run,
            seed=request.seed,
            samples={name: tuple(values) for name, values in samples.items()},
            warmup={name: tuple(values) for name, values in warmup.items()},
            started=started,
        )

    def profile(self) -> None:
        """A command tells nothing about its inside."""

    def close(self) -> None:
        """Nothing stays open between launches."""

    def _is_enough(self, samples: Mapping[str, list[float]]) -> bool:
        return all(len(samples.get(name, ())) >= self.request.samples for name in self.request.metrics)

    def _once(self, run: int) -> dict[str, tuple[float, ...]]:
        """The values of one launch by metric; the process's own times are among them unless they are read."""
        with LaunchReports(self.folder, self.launch.readings) as reports:
            try:
                done = run_bounded(
                    self.launch.argv,
                    folder=self.folder,
                    environment=_environment(self.launch),
                    seconds=self.request.timeout,
                    kept=KEPT_BYTES,
                    memory_limit=self.request.memory_limit,
                )
            except OSError as problem:
                raise self._failure(run, f"cannot be started, {(problem.strerror or '').lower()}") from None
            if done.was_stopped:
                failure = self._failure(run, done.account)
                raise InfrastructureError(failure.what, failure.where, failure.remedy)
            if done.code != self.launch.exit_code:
                raise self._failure(run, done.account)
            latency = max(done.seconds - done.waited_seconds, 1e-9)  # as for functions, docs/adr/0011
            values: dict[str, tuple[float, ...]] = {
                "latency": (latency,),
                "wall_time": (done.seconds,),
                "cpu_time": (done.cpu_seconds,),
            }
            if THROUGHPUT in self.request.metrics:
                values[THROUGHPUT] = (1.0 / latency,)
            try:
                for reading in self.launch.readings:
                    values[reading.metric] = read_values(reading, reports.texts(reading, done))
            except ReadingError as problem:
                raise self._failure(run, f"{done.account}; {problem}") from None
        return values

    def _failure(self, run: int, how: str) -> UsageError:
        what = f"{self.request.benchmark}, run {run}: {on_one_line(self.launch.text)} {how}"
        return UsageError(what, self.request.place, REMEDY)


def _append(samples: dict[str, list[float]], values: Mapping[str, tuple[float, ...]]) -> None:
    for name, found in values.items():
        samples.setdefault(name, []).extend(found)


def _environment(launch: Launch) -> dict[str, str]:
    """The gate's own, where programs of its virtual environment come first, and the suite's additions.

    `.venv/bin/perfgate` works without activating the environment; `python` then has to be its own, too.
    """
    found = dict(os.environ)
    if sys.prefix != sys.base_prefix:
        found["PATH"] = os.pathsep.join(
            part for part in (str(Path(sys.executable).parent), found.get("PATH")) if part
        )
    return found | launch.environment
