"""A run as a measured process wrote it, as a value of the record, and what a reader should know of it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from perfgate.backends.machine_facts import clock_name
from perfgate.core.record import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MINIMAL_CALL = 50e-9  # seconds; below it the loop's own overhead of 20-30 ns per call is most of the time
THROUGHPUT = "throughput"
CLOCK_METRICS = (
    "latency",
    "wall_time",
    "cpu_time",
    THROUGHPUT,
)  # what every timed backend takes of a process itself


def read_run(
    answer: Mapping[str, Any], number: int, seed: int, metrics: Sequence[str], started: str = ""
) -> Run:
    """The samples by metric; a throughput is the inverse of the latency. CPU time and memory come along."""
    samples = {name: tuple(values) for name, values in answer["samples"].items()}
    warmup = {name: tuple(values) for name, values in answer["warmup"].items()}
    if THROUGHPUT in metrics and THROUGHPUT not in samples:
        samples[THROUGHPUT] = tuple(1.0 / value for value in samples["latency"])
    return Run(id=number, seed=seed, samples=samples, warmup=warmup, started=started)


def run_notes(answer: Mapping[str, Any], number: int) -> tuple[str, ...]:
    """What people should know: rounds that waited for a CPU, and calls too short to time one by one."""
    notes = []
    wall = answer["samples"]["latency"]
    if answer["descheduled"]:
        notes.append(f"run {number}: {answer['descheduled']} of {len(wall)} rounds waited for a processor")
    if wall and min(wall) < MINIMAL_CALL:
        spent = f"one call takes {min(wall) * 1e9:.0f} ns, mostly the loop around it"
        notes.append(f"{spent}: do more work in one call")
    return tuple(notes)


def run_protocol(samples: int, warmup: int | None) -> dict[str, str]:
    """What must be equal for timed samples to be comparable, whatever is timed."""
    return {
        "samples": str(samples),
        "warmup": "auto" if warmup is None else str(warmup),
        "clock": clock_name(),
    }


def utc_now() -> str:
    """When a run started, to the second."""
    return dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds")
