"""Alerts: conditions on the counters of a profile, three-valued, with what to do when they hold."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails.answer import decided, every, negation, some
from perfgate.guardrails.rule import Alert, AlertCondition, Reading
from perfgate.guardrails.value_test import is_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.guardrails.budget import Measurement
    from perfgate.guardrails.rule import Rule, RuleSet

_Series = tuple[tuple[float, float], ...]
_TWO_POINTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertOutcome:
    """One alert on one benchmark: fail when its conditions hold, unknown when a series is missing."""

    rule: Rule
    benchmark: str
    device: str
    answer: Answer
    action: str


def evaluate_alerts(rules: RuleSet, measurements: Sequence[Measurement]) -> tuple[AlertOutcome, ...]:
    """Every alert on every benchmark, in the order of rules and records."""
    return tuple(
        AlertOutcome(
            rule=rule,
            benchmark=measurement.benchmark,
            device=measurement.device,
            answer=negation(alert_holds(rule.body, measurement)),
            action=rule.body.action,
        )
        for rule in rules.rules
        if isinstance(rule.body, Alert)
        for measurement in measurements
    )


def alert_holds(alert: Alert, measurement: Measurement) -> Answer:
    """Whether the conditions hold (pass), do not (fail), or cannot be told."""
    answers = [condition_holds(condition, measurement) for condition in alert.conditions]
    return every(answers) if alert.needs_all else some(answers)


def condition_holds(condition: AlertCondition, measurement: Measurement) -> Answer:
    """One condition; a series or limit that is missing makes it unknown."""
    if condition.for_seconds:
        return _held(condition, measurement.series.get(condition.metric, ()))
    value = _reading(condition, measurement)
    if value is None or isnan(value):
        return Answer.UNKNOWN
    return decided(holds=is_within(condition.sign, value, float(condition.limit.value)))


def _reading(condition: AlertCondition, measurement: Measurement) -> float | None:
    series = measurement.series.get(condition.metric, ())
    match condition.reading:
        case Reading.NOW:
            last = series[-1][1] if series else None
            return measurement.values.get(condition.metric, last)
        case Reading.RATE:
            return rate(series)
        case Reading.SWING:
            values = [value for _, value in series]
            if any(map(isnan, values)):  # what `max` makes of NaN depends on the order
                return nan
            return max(values) - min(values) if values else None
        case Reading.TIME_TO_OOM:
            return seconds_to_limit(series, measurement.limits.get(condition.metric))


def rate(series: _Series) -> float | None:
    """Change per second from the first to the last point; None without two points at different times."""
    if len(series) < _TWO_POINTS or series[-1][0] <= series[0][0]:
        return None
    (start, first), (end, last) = series[0], series[-1]
    return (last - first) / (end - start)


def seconds_to_limit(series: _Series, limit: float | None) -> float | None:
    """(limit - now) / rate; None where the rate is not positive, because then nothing is forecast."""
    growth = rate(series)
    if growth is None or growth <= 0 or limit is None:
        return None
    return max(0.0, limit - series[-1][1]) / growth


def _held(condition: AlertCondition, series: _Series) -> Answer:
    """Whether neighbouring points that meet the condition span the time asked for.

    A point that is no number ends a run; where no run is long enough without it, the answer is unknown.
    """
    if not series:
        return Answer.UNKNOWN
    limit, needed = float(condition.limit.value), float(condition.for_seconds)
    start: float | None = None
    for time, value in series:
        if not is_within(condition.sign, value, limit):
            start = None
            continue
        start = time if start is None else start
        if time - start >= needed:
            return Answer.PASS
    return Answer.UNKNOWN if any(isnan(value) for _, value in series) else Answer.FAIL
