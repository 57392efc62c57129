"""Budgets: absolute limits on the measured value of a metric, with a band in which a miss only warns.

Whether a change is a regression is a separate question; here the value alone is judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from perfgate.core.finding import Severity
from perfgate.guardrails.globs import text_matches
from perfgate.guardrails.rule import Budgets, Rule
from perfgate.guardrails.value_test import is_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from perfgate.core.record import Record
    from perfgate.guardrails.rule import BudgetRow, RuleSet

SAME = 1e-12  # relative; 33 ms computed from picoseconds and read from text differ in the last bit only
PS_PER_SECOND = 1e12


class Status(StrEnum):
    """The answer of one row: met, missed inside the warn band, missed, or no value."""

    PASS = "pass"  # noqa: S105 - a status, no password
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What rules on metrics look at: values in the metric's unit by name (percent for utilisation).

    `series` are counters as (seconds, value) pairs in order of time; `operators` are seconds per execution
    by name; `limits` are what a metric cannot exceed, such as the device's memory, for forecasts.
    """

    benchmark: str
    device: str
    values: Mapping[str, float]
    series: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    operators: Mapping[str, float] | None = None
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOutcome:
    """One row on one benchmark; `missed_by` is a share, 0.093 is 9.3 %, None when met or unknown."""

    rule: Rule
    row: BudgetRow
    benchmark: str
    device: str
    operator: str = ""
    value: float | None = None
    status: Status
    missed_by: float | None = None

    @property
    def severity(self) -> Severity | None:
        """What it counts as: the rule's severity for a miss, a warning inside the band; None when met."""
        if self.status is Status.PASS:
            return None
        return (
            self.rule.severity
            if self.status is Status.FAIL
            else min_severity(self.rule.severity, Severity.WARN)
        )


def min_severity(first: Severity, second: Severity) -> Severity:
    """The milder of two."""
    return min(first, second, key=lambda severity: severity.rank)


def measurement_of(record: Record, location: Callable[[Record, str], float | None]) -> Measurement:
    """A record as a measurement; `location` gives the point estimate of a sampled metric in its unit."""
    values = dict(record.exact)
    for metric in record.ruler.metrics:
        if metric.is_sampled and (value := location(record, metric.name)) is not None:
            values[metric.name] = value
    profile = record.profile
    operators = (
        None if profile is None else {spot.name: spot.total_ps / PS_PER_SECOND for spot in profile.operators}
    )
    return Measurement(benchmark=record.benchmark, device=record.device, values=values, operators=operators)


def evaluate_budgets(rules: RuleSet, measurements: Sequence[Measurement]) -> tuple[BudgetOutcome, ...]:
    """Every row of every budget on all benchmarks and devices it chooses, in the order of rules."""
    return tuple(
        outcome
        for rule in rules.rules
        if isinstance(rule.body, Budgets)
        for row in rule.body.rows
        for measurement in measurements
        if text_matches(row.benchmark, measurement.benchmark) and text_matches(row.device, measurement.device)
        for outcome in _outcomes(rule, row, measurement)
    )


def unfitting_budgets(rules: RuleSet, benchmarks: Iterable[tuple[str, str]]) -> tuple[BudgetOutcome, ...]:
    """Rows whose globs fit no benchmark on any device (pairs of names): nobody knows whether they are met."""
    known = tuple(benchmarks)
    return tuple(
        BudgetOutcome(rule=rule, row=row, benchmark=row.benchmark, device=row.device, status=Status.UNKNOWN)
        for rule in rules.rules
        if isinstance(rule.body, Budgets)
        for row in rule.body.rows
        if not any(
            text_matches(row.benchmark, benchmark) and text_matches(row.device, device)
            for benchmark, device in known
        )
    )


def _outcomes(rule: Rule, row: BudgetRow, measurement: Measurement) -> Iterator[BudgetOutcome]:
    if not row.op:
        yield _outcome(rule, row, measurement, "", measurement.values.get(row.metric))
        return
    if measurement.operators is None:
        yield _outcome(rule, row, measurement, row.op, None)
        return
    matched = [name for name in measurement.operators if text_matches(row.op, name)]
    for name in matched:
        yield _outcome(rule, row, measurement, name, measurement.operators[name])
    if not matched:  # renamed or misspelt: nobody knows whether it meets its budget
        yield _outcome(rule, row, measurement, row.op, None)


def _outcome(
    rule: Rule, row: BudgetRow, measurement: Measurement, operator: str, value: float | None
) -> BudgetOutcome:
    status, missed_by = judge_value(row, value)
    return BudgetOutcome(
        rule=rule,
        row=row,
        benchmark=measurement.benchmark,
        device=measurement.device,
        operator=operator,
        value=value,
        status=status,
        missed_by=missed_by,
    )


def judge_value(row: BudgetRow, value: float | None) -> tuple[Status, float | None]:
    """Status of a value against its target and the share by which it misses.

    Target met: pass. Missed by at most the warn band: warn. Equality on a strict sign is a miss by 0 %, so it
    warns only where there is a band. A value that is no number is unknown.
    """
    if value is None or math.isnan(value):
        return Status.UNKNOWN, None
    limit = float(row.limit.value)
    gap = abs(value - limit)
    is_equal = gap <= SAME * max(abs(value), abs(limit))
    is_met = not row.sign.is_strict if is_equal else is_within(row.sign, value, limit)
    if is_met:
        return Status.PASS, None
    missed_by = 0.0 if is_equal else (gap / abs(limit) if limit else float("inf"))
    band = float(row.warn_band)
    is_warning = band > 0 and missed_by <= band * (1 + SAME)
    return (Status.WARN if is_warning else Status.FAIL), missed_by
