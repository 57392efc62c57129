"""The timing loop of Python callables, and the process that runs it for one `call`.

A measured process imports nothing of perfgate but this file: what it imports would be part of the
measurement.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import json
import os
import sys
import time
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    Rounds = Generator[int, "Round", "Timing"]  # yields how often to call, is sent what that took

LEAST_SAMPLES = 5  # fewer per run are no evidence (STATISTICS section 1)
WARMUP_ROUNDS = 1  # beside those of the calibration, which are longer together and warm up as well
ROUND_NS = 5_000_000  # a round of 5 ms is longer than a scheduler's tick of 1-4 ms
BUDGET_NS = 1_000_000_000  # of measured rounds in one run; a slow callable gets fewer than asked
RESOLUTIONS = 1000  # steps of the clock in a round, so that its step stays below .1 %
GROWTH = 10  # times more calls in the next round of the calibration, at most
DESCHEDULED = 0.2  # share of a round in the run queue, from which on the round is said to have waited
RUN_QUEUE = "/proc/thread-self/schedstat"  # Linux: time on a processor, time in the run queue, both in ns


@dataclass(frozen=True, slots=True)
class Plan:
    """How a callable is timed; `warmup` None warms up as long as the calibration and one round take."""

    samples: int = 20
    warmup: int | None = None
    gc: bool = True


class Round(NamedTuple):
    """One round in ns: wall time, processor time of process and thread, the wait of the thread for one."""

    wall: int
    cpu: int
    ran: int = 0
    waited: int = 0

    @property
    def own(self) -> int:
        """Wall time less the wait for a processor: what the code took, whatever the host was busy with.

        Never less than this thread ran: where a thread moves often between the processors of a virtual
        machine, the kernel has been seen to count waits of 108 % of what was left.
        """
        return max(self.wall - self.waited, min(self.ran, self.wall), 1)


@dataclass(slots=True)
class Timing:
    """The rounds of one run; all times are seconds for one call.

    `latency` is wall time less the time in the run queue, where the system tells it, `wall` the clock's own
    time. `descheduled` counts rounds that waited, `resolution` is the clock's step.
    """

    iterations: int
    latency: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    warmup: list[float] = field(default_factory=list)
    descheduled: int = 0
    resolution: float = 0.0


def rounds(plan: Plan, *, has_setup: bool) -> Rounds:
    """Calibrate, warm up, then sample; a set-up before every call allows one call a round."""
    step = clock_step_ns()
    least = max(ROUND_NS, RESOLUTIONS * step)
    count = 1 if has_setup else (yield from _calibrated(least))
    timing = Timing(iterations=count, resolution=step / count / 1e9)
    for _ in range(WARMUP_ROUNDS if plan.warmup is None else plan.warmup):
        done = yield count
        timing.warmup.append(done.own / count / 1e9)
    spent = 0
    for number in range(plan.samples):
        if number >= LEAST_SAMPLES and spent >= BUDGET_NS:
            break
        done = yield count
        spent += done.wall
        timing.latency.append(done.own / count / 1e9)
        timing.wall.append(done.wall / count / 1e9)
        timing.cpu.append(done.cpu / count / 1e9)
        timing.descheduled += done.waited > DESCHEDULED * done.wall
    return timing


class Stopwatch:
    """Times stretches of work of this thread; a forked copy of the process that gets here ends.

    It would go on measuring, and fork again.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._queue: int | None = None

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):  # not Linux: what cannot be told is not taken off
            self._queue = os.open(RUN_QUEUE, os.O_RDONLY | os.O_CLOEXEC)
        return self

    def __exit__(self, *_: object) -> None:
        if self._queue is not None:
            os.close(self._queue)

    def start(self) -> None:
        """Begin a stretch."""
        self._waited = self._in_queue()
        self._cpu = time.process_time_ns()
        self._ran = time.thread_time_ns()
        self._wall = time.perf_counter_ns()

    def stop(self) -> Round:
        """What the stretch took."""
        ended = time.perf_counter_ns()
        ran = time.thread_time_ns()
        cpu = time.process_time_ns()
        if os.getpid() != self._owner:
            os._exit(0)
        waited = self._in_queue() - self._waited
        return Round(ended - self._wall, cpu - self._cpu, ran - self._ran, waited)

    def _in_queue(self) -> int:
        return 0 if self._queue is None else int(os.pread(self._queue, 100, 0).split()[1])


def _calibrated(least: int) -> Generator[int, Round, int]:
    """The number of calls that make a round of at least `least` nanoseconds."""
    count = 1
    while True:
        taken = (yield count).own
        if taken >= least:
            return count
        count = int(count * min(GROWTH, max(1.2, 1.05 * least / taken))) + 1


def clock_step_ns() -> int:
    """The smallest step of the clock that is seen in a few readings."""
    steps = []
    for _ in range(20):
        before = after = time.perf_counter_ns()
        while after == before:
            after = time.perf_counter_ns()
        steps.append(after - before)
    return min(steps)


def _advance(schedule: Rounds, done: Round | None) -> int | Timing:
    """How often to call in the next round, or, after the last one, what the rounds took."""
    try:
        return next(schedule) if done is None else schedule.send(done)
    except StopIteration as ended:
        timing: Timing = ended.value
        return timing


def time_call(call: Callable[[], object], setup: Callable[[], object] | None, plan: Plan) -> Timing:
    """Time a plain callable.

    Raises:
        Exception: whatever the callable raises.
    """
    schedule = rounds(plan, has_setup=setup is not None)
    with _Garbage(is_on=plan.gc), Stopwatch() as watch:
        asked = _advance(schedule, None)
        while isinstance(asked, int):
            if setup is not None:
                setup()
            watch.start()
            for _ in repeat(None, asked):
                call()
            asked = _advance(schedule, watch.stop())
    return asked


async def time_awaited(
    call: Callable[[], Awaitable[object]], setup: Callable[[], object] | None, plan: Plan
) -> Timing:
    """Time a callable whose result is awaited, inside the running loop.

    Raises:
        Exception: whatever the callable raises.
    """
    schedule = rounds(plan, has_setup=setup is not None)
    with _Garbage(is_on=plan.gc), Stopwatch() as watch:
        asked = _advance(schedule, None)
        while isinstance(asked, int):
            if setup is not None:
                setup()
            watch.start()
            for _ in repeat(None, asked):
                await call()
            asked = _advance(schedule, watch.stop())
    return asked


class _Garbage:
    """The collector off while timing, if that was asked for, and as before afterwards."""

    def __init__(self, *, is_on: bool) -> None:
        self.is_switched = not is_on and gc.isenabled()

    def __enter__(self) -> None:
        if self.is_switched:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self.is_switched:
            gc.enable()


def result_of(timing: Timing, *, is_own_process: bool) -> dict[str, Any]:
    """A run as it travels in a file: samples and warm-up by metric, and what is said about them.

    The peak memory is that of a process of the run's own; of another it would say nothing.
    """
    samples = {"latency": timing.latency, "wall_time": timing.wall, "cpu_time": timing.cpu}
    if is_own_process:
        samples["peak_memory"] = [float(peak_memory())]
    return {
        "samples": samples,
        "warmup": {"latency": timing.warmup},
        "iterations": timing.iterations,
        "resolution": timing.resolution,
        "descheduled": timing.descheduled,
    }


def peak_memory() -> int:
    """The largest resident set of this process so far, in bytes; 0 where the system does not tell.

    Linux hands `ru_maxrss` of the parent on to a new program, so its own high-water mark is read there.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        status = ""
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """A result file appears whole or not at all."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    unfinished.write_text(json.dumps(content), encoding="utf-8")
    unfinished.replace(path)


def measure(call: str, plan: Plan) -> dict[str, Any]:
    """Import `module:function` and time it; a coroutine function is awaited in a loop of its own.

    Raises:
        Exception: the import or the function fails.
        TypeError: the function returned an awaitable that nobody awaited.
    """
    module, _, name = call.partition(":")
    target: Any = importlib.import_module(module)
    for part in name.split("."):
        target = getattr(target, part)
    if inspect.iscoroutinefunction(target):
        import asyncio  # noqa: PLC0415 - only where something is awaited

        return result_of(asyncio.run(time_awaited(target, None, plan)), is_own_process=True)
    value = target()
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        what = f"{call} returned {type(value).__name__}; nothing was timed"
        raise TypeError(f"{what}: make it a coroutine function")
    return result_of(time_call(target, None, plan), is_own_process=True)


def failure_text(problem: BaseException) -> str:
    """What went wrong and the line where it was raised, if that is not in this file."""
    text, frame = f"{type(problem).__name__}: {problem}", problem.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None or frame.tb_frame.f_code.co_filename == __file__:
        return text
    return f"{text} ({Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno})"


def main(arguments: list[str]) -> int:
    """Measure what the file of the first argument says, and write the result that it names."""
    task = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    owner = os.getpid()
    sys.path.insert(0, task["root"])
    result: dict[str, Any]
    try:
        result = measure(task["call"], Plan(**task["plan"]))
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is the answer
        result = {"failure": failure_text(problem)}
    if os.getpid() != owner:
        os._exit(0)  # a forked copy of the measured code came back here: the answer is not its to give
    write_whole(Path(task["result"]), result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
