"""What becomes of a measurement of a test: nothing, a record of this run, or a file for the parent."""

from __future__ import annotations

import hashlib
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pytest

from perfgate.backends.python import timed_context, timed_protocol
from perfgate.backends.registry import PYTHON, TIMED, timed_device
from perfgate.backends.timed_run import read_run, run_notes
from perfgate.core.machine import RESOLUTION, TEST
from perfgate.core.record import Record, Ruler, Subject
from perfgate.measure.benchmark import (
    DEFAULT_RUNS,
    DEFAULT_SAMPLES,
    DEFAULT_TIMEOUT,
    TIMED_METRICS,
    Benchmark,
)
from perfgate.measure.child import peak_memory, result_of, write_whole
from perfgate.pytest_plugin.bounds import bounded, watched
from perfgate.pytest_plugin.marker import place_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from perfgate.core.record import Run
    from perfgate.measure.child import Timing
    from perfgate.pytest_plugin.marker import Wishes
    from perfgate.pytest_plugin.state import SessionState
    from perfgate.workflow.measuring import Measurer

LATE = "late"  # file of a child that was ended because it did not come back


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measurement of a test: the benchmark that it is, and its record so far."""

    benchmark: Benchmark
    record: Record


PLAIN: pytest.StashKey[Measurer] = pytest.StashKey()
MEASURED = pytest.StashKey[list[Measured]]()


class Measurement(Protocol):
    """One timed measurement of a test that is running."""

    @property
    def samples(self) -> int:
        """How many rounds to take."""
        ...

    @property
    def is_timed_here(self) -> bool:
        """Whether this process takes a run; else one call is all."""
        ...

    def bounds(self) -> AbstractContextManager[None]:
        """Limits around the measured code."""
        ...

    def keep(self, timing: Timing | None, *, gc: bool) -> None:
        """Take the run of this process; None when it takes none."""
        ...


class Mode(Protocol):
    """What the fixture does in this process."""

    @property
    def measurer(self) -> Measurer:
        """For models and programs."""
        ...

    @property
    def launches(self) -> int | None:
        """How often a program is started for one run; None: as often as it asks for."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds that one run may take."""
        ...

    def open(self, item: pytest.Item, name: str, wishes: Wishes) -> Measurement:
        """Begin a timed measurement."""
        ...

    def measure(self, benchmark: Benchmark) -> Record:
        """Measure a model or a program.

        Raises:
            PerfgateError: it cannot be measured as written.
        """
        ...

    def keep_record(self, item: pytest.Item, benchmark: Benchmark, record: Record) -> None:
        """A model or a program was measured."""
        ...

    def blocked(self, benchmark: Benchmark) -> str:
        """Why a guardrail stops the benchmark, or ""."""
        ...


@dataclass(frozen=True, slots=True)
class _JustRun:
    """Without the gate: one call, no limits, no record."""

    samples: int = 0
    is_timed_here: bool = False

    def bounds(self) -> AbstractContextManager[None]:
        return nullcontext()

    def keep(self, timing: Timing | None, *, gc: bool) -> None:
        del timing, gc


@dataclass(frozen=True, slots=True)
class PlainMode:
    """A run without `--perfgate`: measurements are ordinary calls."""

    config: pytest.Config
    launches: int | None = 1
    timeout: float = DEFAULT_TIMEOUT

    @property
    def measurer(self) -> Measurer:
        """Made when a model or a program asks for it: the compiler takes 200 ms to load."""
        return plain_measurer(self.config)

    def open(self, item: pytest.Item, name: str, wishes: Wishes) -> Measurement:
        """An ordinary call."""
        del item, name, wishes
        return _JustRun()

    def measure(self, benchmark: Benchmark) -> Record:
        """One run."""
        return self.measurer.measure_first(benchmark)

    def keep_record(self, item: pytest.Item, benchmark: Benchmark, record: Record) -> None:
        """Nobody asks for the record."""

    def blocked(self, benchmark: Benchmark) -> str:
        """Guardrails are the gate's business."""
        del benchmark
        return ""


@dataclass(frozen=True, slots=True)
class _Timed:
    """In the gate: this process takes the first run, unless a tracer would be measured with it."""

    item: pytest.Item
    benchmark: Benchmark
    seed: int

    @property
    def samples(self) -> int:
        return self.benchmark.samples

    @property
    def is_timed_here(self) -> bool:
        return not is_traced()

    def bounds(self) -> AbstractContextManager[None]:
        return bounded(self.item.nodeid, self.benchmark.timeout)

    def keep(self, timing: Timing | None, *, gc: bool) -> None:
        benchmark = self.benchmark
        notes: tuple[str, ...] = ()
        context = {**timed_context(), "seed": str(self.seed), TEST: self.item.nodeid}
        if timing is not None:
            result = result_of(timing, is_own_process=False)
            runs: tuple[Run, ...] = (read_run(result, 0, self.seed, _names(benchmark)),)
            notes = run_notes(result, 0)
            context[RESOLUTION] = f"{timing.resolution:.3g}"
        else:
            runs = ()
        record = Record(
            benchmark=benchmark.name,
            device=benchmark.device,
            backend=PYTHON,
            ruler=Ruler(
                inputs={},
                metrics=benchmark.metrics,
                protocol=timed_protocol(benchmark.samples, benchmark.warmup, is_collected=gc),
            ),
            subject=Subject(
                model=self.item.nodeid, model_digest=hashlib.sha256(self.item.nodeid.encode()).hexdigest()
            ),
            runs=runs,
            exact={},
            context=context,
            notes=notes,
        )
        self.item.stash.setdefault(MEASURED, []).append(Measured(benchmark=benchmark, record=record))


@dataclass(frozen=True, slots=True)
class GateMode:
    """In a run with `--perfgate`: measurements become records of the session."""

    state: SessionState
    launches: int | None = None

    @property
    def measurer(self) -> Measurer:
        """The session's."""
        return self.state.measurer

    @property
    def timeout(self) -> float:
        """What the options say."""
        return self.state.options.timeout

    def open(self, item: pytest.Item, name: str, wishes: Wishes) -> Measurement:
        """A timed measurement; where workers share the machine it is refused.

        Raises:
            UsageError: this is an xdist worker.
        """
        self.state.refuse_shared_machine(item.nodeid)
        metrics = wishes.metrics_of(TIMED_METRICS)
        benchmark = Benchmark(
            name=name,
            device=timed_device(PYTHON),
            backend=PYTHON,
            place=place_of(item),
            runs=self.state.options.runs or DEFAULT_RUNS,
            samples=DEFAULT_SAMPLES,
            noise="",
            metrics=metrics,
            test=item.nodeid,
            timeout=self.state.options.timeout,
            owner=wishes.owner,
            thresholds=wishes.thresholds(metrics),
            limits=wishes.limit,
        )
        return _Timed(item, benchmark, self.state.options.seed)

    def measure(self, benchmark: Benchmark) -> Record:
        """All runs of a model; the first one of a program, whose others follow interleaved.

        Raises:
            UsageError: a timed one in an xdist worker.
        """
        if benchmark.backend not in TIMED:
            return self.measurer.measure(benchmark)
        self.state.refuse_shared_machine(benchmark.test)
        return self.measurer.measure_first(benchmark)

    def keep_record(self, item: pytest.Item, benchmark: Benchmark, record: Record) -> None:
        """The record waits for the end of the test."""
        item.stash.setdefault(MEASURED, []).append(Measured(benchmark=benchmark, record=record))

    def blocked(self, benchmark: Benchmark) -> str:
        """The option that leaves its device out, or the guardrail that its compile command breaks."""
        wanted = self.state.options.devices
        if wanted and benchmark.device not in wanted:
            return f"--perfgate-device leaves {benchmark.device} out"
        return self.state.blocked_now(benchmark)


@dataclass(frozen=True, slots=True)
class _InChild:
    """In a fresh process that the gate started: the run goes into a file for the parent."""

    path: Path
    samples: int
    seconds: float
    is_timed_here: bool = True

    def bounds(self) -> AbstractContextManager[None]:
        return watched(self.seconds, self.path.with_name(LATE))

    def keep(self, timing: Timing | None, *, gc: bool) -> None:
        del gc
        if timing is not None:
            write_whole(self.path, result_of(timing, is_own_process=False) | {"peak_memory": peak_memory()})


@dataclass(frozen=True, slots=True)
class ChildMode:
    """A child process of the gate: timed measurements are taken, everything else just runs."""

    folder: Path
    timeout: float
    config: pytest.Config
    launches: int | None = 1

    @property
    def measurer(self) -> Measurer:
        """Made when a model or a program asks for it."""
        return plain_measurer(self.config)

    def open(self, item: pytest.Item, name: str, wishes: Wishes) -> Measurement:
        """A run for the parent."""
        del item, wishes
        return _InChild(result_path(self.folder, name), DEFAULT_SAMPLES, self.timeout)

    def measure(self, benchmark: Benchmark) -> Record:
        """One run."""
        return self.measurer.measure_first(benchmark)

    def keep_record(self, item: pytest.Item, benchmark: Benchmark, record: Record) -> None:
        """The parent has it already."""

    def blocked(self, benchmark: Benchmark) -> str:
        """The parent has said so already."""
        del benchmark
        return ""


def plain_measurer(config: pytest.Config) -> Measurer:
    """For models and programs outside the gate: one run."""
    from perfgate.workflow.measuring import Measurer as Plain  # noqa: PLC0415 - only where one is measured
    from perfgate.workflow.worktree import WorkTree  # noqa: PLC0415 - the same

    if PLAIN not in config.stash:
        config.stash[PLAIN] = Plain(WorkTree(config.rootpath, None), seed=0, runs=1)
    return config.stash[PLAIN]


def result_path(folder: Path, name: str) -> Path:
    """Where a child writes the run of the measurement of that name."""
    return folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"


def is_traced() -> bool:
    """A debugger or a coverage tool watches every line: wall times of this process would be theirs."""
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(monitoring.get_tool(number) for number in range(6))


def _names(benchmark: Benchmark) -> tuple[str, ...]:
    return tuple(metric.name for metric in benchmark.metrics)
