"""`perfgate.command(...)`: a program measured from a test, by its time or by the numbers it reports."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.backends.launch import Launch
from perfgate.backends.registry import COMMAND, timed_device
from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import UsageError
from perfgate.core.units import read_unit
from perfgate.measure.benchmark import DEFAULT_LAUNCHES, DEFAULT_RUNS, TIMED_METRICS, Benchmark
from perfgate.measure.metric_entry import known_metrics, reported_metrics
from perfgate.measure.suite_schema import MetricEntry
from perfgate.pytest_plugin.marker import check_limits, place_of
from perfgate.pytest_plugin.measured_result import MeasuredResult, keep_and_answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from perfgate.pytest_plugin.marker import Wishes
    from perfgate.pytest_plugin.measurement import Mode

_WORD = re.compile(r"[\s\\]*([A-Za-z0-9/]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """The arguments of `perfgate.command`, named and meant as the keys of a suite entry.

    A metric's source is a mapping as in a suite, or a regular expression whose number is followed by its
    unit, as in `r"took ([0-9.]+) ms"`. Without metrics the program's own time is the latency.
    """

    argv: Sequence[str]
    metrics: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    limit: Mapping[str, str] = field(default_factory=dict)
    folder: str = "."
    environment: Mapping[str, str] = field(default_factory=dict)
    exit_code: int = 0
    samples: int = DEFAULT_LAUNCHES
    warmup: int | None = None


def read_command_call(argv: Sequence[str], wanted: Mapping[str, Any], where: str) -> CommandCall:
    """The arguments, checked.

    Raises:
        UsageError: a command that is no list of texts, an unknown argument, a limit that cannot be read.
    """
    if isinstance(argv, str) or not all(isinstance(word, str) for word in argv):
        raise UsageError(
            "perfgate.command: no list of texts", where, 'write perfgate.command(["./bench", "-q"])'
        )
    known = [name for name in CommandCall.__slots__ if name != "argv"]
    wrong = next((name for name in wanted if name not in known), None)
    if wrong is not None:
        raise UsageError(f"perfgate.command: unknown argument {wrong!r}", where, did_you_mean(wrong, known))
    call = CommandCall(argv=tuple(argv), **wanted)
    check_limits("", dict(call.limit), where)
    return call


def measure_command(
    item: pytest.Item, mode: Mode, name: str, wishes: Wishes, call: CommandCall
) -> MeasuredResult:
    """Build the benchmark of that name, start the program and hand its record to the mode.

    Raises:
        UsageError: the program cannot be started, fails, or its numbers cannot be read.
    """
    __tracebackhide__ = True
    return keep_and_answer(item, mode, _benchmark(item, mode, name, wishes, call))


def _benchmark(item: pytest.Item, mode: Mode, name: str, wishes: Wishes, call: CommandCall) -> Benchmark:
    def where(*_: str | int) -> str:
        return item.nodeid

    if call.metrics:
        entries = {key: _entry(key, source, item.nodeid) for key, source in call.metrics.items()}
        metrics, readings = reported_metrics(entries, where)
    else:
        metrics, readings = known_metrics(wishes.metrics or TIMED_METRICS, COMMAND, where), ()
    return Benchmark(
        name=name,
        device=timed_device(COMMAND),
        backend=COMMAND,
        place=place_of(item),
        runs=DEFAULT_RUNS,
        samples=mode.launches or call.samples,
        noise="",
        metrics=metrics,
        launch=Launch(
            argv=tuple(call.argv),
            folder=call.folder,
            environment=dict(call.environment),
            exit_code=call.exit_code,
            readings=readings,
        ),
        test=item.nodeid,
        warmup=0 if mode.launches else call.warmup,
        timeout=mode.timeout,
        owner=wishes.owner,
        thresholds=wishes.thresholds(metrics),
        limits={**wishes.limit, **call.limit},
    )


def _entry(name: str, source: str | Mapping[str, str], where: str) -> MetricEntry:
    """A metric's source as a suite would give it; a bare expression says the unit behind its group."""
    if not isinstance(source, str):
        try:
            return msgspec.convert(dict(source), MetricEntry)
        except msgspec.ValidationError as problem:
            remedy = 'write {"regex": "...", "unit": "ms"}'
            raise UsageError(f"the metric {name!r}: {str(problem).lower()}", where, remedy) from None
    behind = _WORD.match(source.rpartition(")")[2])
    unit = behind[1] if behind is not None and read_unit(behind[1]) is not None else None
    return MetricEntry(regex=source, unit=unit)
