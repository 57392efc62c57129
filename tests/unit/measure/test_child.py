from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.measure import child
from perfgate.measure.child import (
    Plan,
    Round,
    Stopwatch,
    Timing,
    clock_step_ns,
    failure_text,
    result_of,
    rounds,
    time_call,
)
from perfgate.measure.child import main as child_main

if TYPE_CHECKING:
    from collections.abc import Callable

MS = 1_000_000  # nanoseconds
STEP = 50  # of the clock in these tests, in nanoseconds


@pytest.fixture(autouse=True)
def clock_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "clock_step_ns", lambda: STEP)


def driven(
    plan: Plan, wall: Callable[[int, int], int], *, share: float = 1.0, has_setup: bool = False
) -> tuple[Timing, list[int]]:
    """The schedule under a made-up clock: `wall(round, calls)` is how long a round takes, in nanoseconds."""
    schedule, asked = rounds(plan, has_setup=has_setup), []
    count = next(schedule)
    while True:
        asked.append(count)
        spent = wall(len(asked) - 1, count)
        try:
            count = schedule.send(Round(spent, int(spent * share)))
        except StopIteration as ended:
            return ended.value, asked


def test_rounds_are_calibrated_to_five_milliseconds() -> None:
    timing, asked = driven(Plan(), lambda _, calls: calls * 100)  # 100 ns for a call
    assert timing.iterations * 100 >= 5 * MS
    assert timing.iterations * 100 < 2 * 5 * MS  # not far beyond: at most ten times more calls a step
    assert all(later <= 10 * earlier + 1 for earlier, later in pairwise(asked))
    assert timing.wall == [pytest.approx(100e-9)] * 20


def test_a_coarse_clock_makes_longer_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "clock_step_ns", lambda: 15 * MS)  # a clock of 15 ms, as some systems have
    timing, _ = driven(Plan(samples=5), lambda _, calls: calls * MS)
    assert timing.iterations >= 15_000  # 1,000 steps of the clock
    assert timing.resolution == pytest.approx(15e-3 / timing.iterations)


def test_a_clock_that_stands_still_at_first_does_not_end_the_calibration() -> None:
    timing, _ = driven(Plan(samples=5), lambda _, calls: 0 if calls < 1000 else calls * 1000)
    assert timing.iterations >= 5000


def test_a_slow_call_is_a_round_of_its_own() -> None:
    timing, asked = driven(Plan(), lambda *_: 20 * MS)
    assert set(asked) == {1}
    assert timing.iterations == 1


def test_calibration_and_one_round_warm_up_unless_the_plan_says_otherwise() -> None:
    automatic, asked = driven(Plan(samples=5), lambda number, _: (number + 6) * MS)
    assert automatic.warmup == pytest.approx([7e-3])  # round 0 was the calibration
    assert automatic.wall == pytest.approx([8e-3, 9e-3, 10e-3, 11e-3, 12e-3])
    assert len(asked) == 1 + 1 + 5
    assert driven(Plan(warmup=0), lambda *_: 6 * MS)[0].warmup == []
    assert len(driven(Plan(warmup=7), lambda *_: 6 * MS)[0].warmup) == 7


def test_the_budget_ends_a_run_but_not_below_five_samples() -> None:
    assert len(driven(Plan(samples=100), lambda *_: 100 * MS)[0].wall) == 10  # 1 s of rounds
    assert len(driven(Plan(samples=100), lambda *_: 10_000 * MS)[0].wall) == 5


def test_a_run_takes_no_more_samples_than_asked() -> None:
    assert len(driven(Plan(samples=7), lambda *_: 6 * MS)[0].wall) == 7


def test_a_set_up_before_every_call_means_one_call_a_round() -> None:
    timing, asked = driven(Plan(samples=6), lambda *_: 100, has_setup=True)
    assert set(asked) == {1}
    assert len(asked) == 1 + 6
    assert timing.resolution == pytest.approx(STEP * 1e-9)


def test_rounds_that_waited_for_a_processor_are_counted() -> None:
    schedule = rounds(Plan(samples=10, warmup=0), has_setup=True)
    next(schedule)
    for number in range(9):
        waited = 6 * MS if number in {2, 7} else MS  # 60 % of the round, usually 10 %
        schedule.send(Round(10 * MS, 4 * MS, 4 * MS, waited))
    with pytest.raises(StopIteration) as ended:
        schedule.send(Round(10 * MS, 9 * MS, 9 * MS, MS))
    assert ended.value.value.descheduled == 2
    assert ended.value.value.wall == pytest.approx([10e-3] * 10)
    assert sorted(ended.value.value.latency) == pytest.approx([4e-3] * 2 + [9e-3] * 8)


def test_a_round_never_takes_less_than_its_thread_ran() -> None:
    assert Round(wall=10, cpu=9, ran=3, waited=12).own == 3
    assert Round(wall=10, cpu=30, ran=11, waited=0).own == 10  # a thread cannot run longer than the clock
    assert Round(wall=10, cpu=9, ran=0, waited=10).own == 1  # no latency is zero


def test_time_in_the_run_queue_is_not_the_code_s() -> None:
    """Beside eight busy loops a stretch of work waits for a processor, and the wait is not counted."""
    work = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        with Stopwatch() as watch:
            watch.start()
            end = time.process_time() + 0.3
            while time.process_time() < end:
                pass
            done = watch.stop()
    finally:
        for process in work:
            process.kill()
            process.wait()
    if not Path(child.RUN_QUEUE).exists():
        assert done.waited == 0
    else:
        assert done.own < 1.5 * done.cpu  # what it ran, whatever the wall clock says


def test_a_call_that_always_sleeps_is_not_descheduled() -> None:
    assert driven(Plan(samples=10), lambda *_: 10 * MS, share=0.05)[0].descheduled == 0


def test_the_clock_moves_in_small_steps() -> None:
    assert 0 < clock_step_ns() < 100 * MS  # this module's own name, taken before it was replaced


def test_the_set_up_runs_before_each_round_and_is_not_timed() -> None:
    order: list[str] = []
    timing = time_call(
        lambda: order.append("call"), lambda: order.append("set up"), Plan(samples=5, warmup=1)
    )
    assert order == ["set up", "call"] * 6
    assert len(timing.wall) == 5


def test_the_collector_is_off_only_while_timing_and_only_if_asked() -> None:
    seen: list[bool] = []
    time_call(lambda: seen.append(gc.isenabled()), lambda: None, Plan(samples=5, warmup=0, gc=False))
    assert seen == [False] * 5
    assert gc.isenabled()
    time_call(lambda: seen.append(gc.isenabled()), lambda: None, Plan(samples=5, warmup=0))
    assert seen[5:] == [True] * 5


def test_the_collector_is_on_again_after_a_failure() -> None:
    def fail() -> None:
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        time_call(fail, None, Plan(gc=False))
    assert gc.isenabled()


def test_a_coroutine_is_awaited_in_the_running_loop() -> None:
    loops = set()

    async def work() -> None:
        loops.add(id(asyncio.get_running_loop()))

    async def outside() -> Timing:
        loops.add(id(asyncio.get_running_loop()))
        return await child.time_awaited(work, lambda: None, Plan(samples=5, warmup=0))

    assert len(asyncio.run(outside()).wall) == 5
    assert len(loops) == 1


def test_peak_memory_belongs_to_a_process_of_the_runs_own() -> None:
    timing = Timing(iterations=1, latency=[0.9], wall=[1.0], cpu=[0.5], warmup=[2.0])
    samples = result_of(timing, is_own_process=False)["samples"]
    assert samples == {"latency": [0.9], "wall_time": [1.0], "cpu_time": [0.5]}
    assert result_of(timing, is_own_process=True)["samples"]["peak_memory"][0] > 1 << 20


def test_a_failure_names_the_line_that_raised_it() -> None:
    try:
        json.loads("{")
    except ValueError as problem:
        text = failure_text(problem)
    assert text.startswith("JSONDecodeError: Expecting property name")
    assert "(decoder.py:" in text
    assert failure_text(ValueError("never raised")) == "ValueError: never raised"


def answer(tmp_path: Path, source: str, call: str) -> dict[str, Any]:
    """What the child process's own main function writes, in this process."""
    (tmp_path / f"{call.partition(':')[0]}.py").write_text(source)
    task, result = tmp_path / "task.json", tmp_path / "result.json"
    plan = {"samples": 5, "warmup": 0}
    task.write_text(json.dumps({"call": call, "root": str(tmp_path), "plan": plan, "result": str(result)}))
    assert child_main([str(task)]) == 0
    assert [path.name for path in tmp_path.glob("*.part")] == []
    written: dict[str, Any] = json.loads(result.read_text())
    return written


def test_the_process_answers_with_samples_or_with_its_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", list(sys.path))
    good = answer(tmp_path, "def work():\n    return 1\n", "child_good:work")
    assert len(good["samples"]["latency"]) == 5
    assert good["iterations"] > 100
    bad = answer(tmp_path, "def work():\n    return 1 / 0\n", "child_bad:work")
    assert bad == {"failure": "ZeroDivisionError: division by zero (child_bad.py:2)"}
    lazy = "async def inner():\n    return 1\n\ndef work():\n    return inner()\n"
    assert "returned coroutine; nothing was timed" in answer(tmp_path, lazy, "child_lazy:work")["failure"]
