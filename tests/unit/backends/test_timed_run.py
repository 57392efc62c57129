from __future__ import annotations

import datetime as dt
from typing import Any

from perfgate.backends.machine_facts import clock_name
from perfgate.backends.timed_run import read_run, run_notes, run_protocol, utc_now


def answer(wall: list[float], descheduled: int = 0) -> dict[str, Any]:
    return {
        "samples": {"latency": wall, "cpu_time": [0.5], "peak_memory": [1.0]},
        "warmup": {"latency": [9.0]},
        "descheduled": descheduled,
    }


def test_a_run_keeps_every_sample_and_its_warm_up_apart() -> None:
    run = read_run(answer([2.0, 1.0, 3.0]), 4, 7, ("latency",), "2026-01-01T00:00:00+00:00")
    assert (run.id, run.seed, run.started) == (4, 7, "2026-01-01T00:00:00+00:00")
    assert run.samples == {"latency": (2.0, 1.0, 3.0), "cpu_time": (0.5,), "peak_memory": (1.0,)}
    assert run.warmup == {"latency": (9.0,)}


def test_a_throughput_is_the_inverse_of_the_latency() -> None:
    assert read_run(answer([0.5, 0.25]), 0, 0, ("throughput",)).samples["throughput"] == (2.0, 4.0)


def test_a_quiet_run_of_long_calls_needs_no_note() -> None:
    assert run_notes(answer([1e-3, 2e-3]), 0) == ()


def test_waiting_for_a_processor_is_said() -> None:
    assert run_notes(answer([1e-3] * 20, 3), 2) == ("run 2: 3 of 20 rounds waited for a processor",)


def test_row_13_a_call_of_a_nanosecond_is_said_to_be_mostly_the_loop() -> None:
    (note,) = run_notes(answer([1e-9, 1.2e-9]), 0)
    assert note == "one call takes 1 ns, mostly the loop around it: do more work in one call"


def test_row_19_another_warm_up_is_another_protocol() -> None:
    assert run_protocol(20, None) == {"samples": "20", "warmup": "auto", "clock": clock_name()}
    assert run_protocol(20, 3) != run_protocol(20, None)


def test_a_start_is_in_universal_time() -> None:
    assert dt.datetime.fromisoformat(utc_now()).utcoffset() == dt.timedelta(0)
