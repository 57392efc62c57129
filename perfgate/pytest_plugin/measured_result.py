"""What a test gets back of a measured model or program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.summary import typical_value
from perfgate.config.typed_yaml import did_you_mean

if TYPE_CHECKING:
    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.pytest_plugin.measurement import Mode

BLOCKED = "not measured: "  # how the reason of a benchmark begins that a guardrail or an option stops


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One number of a measurement; `unit` is one of `core.units`."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class MeasuredResult:
    """What one model or program measured; the record behind it goes to the gate."""

    record: Record

    def metric(self, name: str) -> MetricValue:
        """An exact metric, or the typical value of a sampled one.

        Raises:
            KeyError: it was not measured; names those that were.
        """
        known = {metric.name: metric for metric in self.record.ruler.metrics}
        value = typical_value(self.record, known[name]) if name in known else None
        if value is None:
            raise KeyError(f"{name!r} was not measured: {did_you_mean(name, known)}")
        return MetricValue(value, known[name].unit)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: flags without effect, estimated operators, rounds that waited."""
        return self.record.notes


def keep_and_answer(item: pytest.Item, mode: Mode, benchmark: Benchmark) -> MeasuredResult:
    """Measure a benchmark of a test, unless something stops it, and hand its record to the mode.

    Raises:
        PerfgateError: it cannot be measured as written.
    """
    __tracebackhide__ = True
    reason = mode.blocked(benchmark)
    if reason:
        pytest.skip(f"{BLOCKED}{reason}")
    record = mode.measure(benchmark)
    mode.keep_record(item, benchmark, record)
    return MeasuredResult(record)
