"""Each shipped alert over its truth table, and the readings of a series by hand calculation."""

from __future__ import annotations

from math import nan

import pytest

from perfgate.guardrails.alert import evaluate_alerts, rate, seconds_to_limit
from perfgate.guardrails.budget import Measurement
from perfgate.guardrails.metric_finding import alert_findings
from perfgate.guardrails.rule import Settings
from tests.guard_facts import rules

MB = 1024**2
Series = tuple[tuple[float, float], ...]


def answer(name: str, **series: Series) -> str:
    limits = {"peak_memory": 1000.0 * MB}
    measurement = Measurement(benchmark="b", device="d", values={}, series=series, limits=limits)
    (outcome,) = evaluate_alerts(rules(f"settings: {{alerts: [{name}]}}"), [measurement])
    return str(outcome.answer)


def over(step: float, *values: float) -> Series:
    return tuple((step * number, value) for number, value in enumerate(values))


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (over(1, 0.041, 0.05, 0.06, 0.05), "fail"),  # above 40 ms from 0 s to 3 s
        (over(1, 0.041, 0.05, 0.06), "pass"),  # 2 s only
        (over(1, 0.05, 0.05, 0.03, 0.05, 0.05), "pass"),  # interrupted
        (over(1, 0.04, 0.04, 0.04, 0.04), "pass"),  # not above
        (over(1, 0.05, 0.05, nan, 0.05, 0.05), "unknown"),  # no number may hide that it never fell
        (over(1, nan, 0.05, 0.05, 0.05, 0.05), "fail"),  # long enough without it
        ((), "unknown"),
    ],
)
def test_latency_alert_needs_three_seconds_without_a_break(series: Series, expected: str) -> None:
    assert answer("latency-safe-mode", latency=series) == expected


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (((0, 0.0), (30, 51.0 * MB)), "fail"),  # 102 MB a minute
        (((0, 0.0), (30, 50.0 * MB)), "pass"),  # exactly 100
        (((0, 0.0),), "unknown"),
        ((), "unknown"),
    ],
)
def test_memory_alert_looks_at_growth_per_minute(series: Series, expected: str) -> None:
    assert answer("memory-growth", peak_memory=series) == expected


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (over(1, 60, 95, 64), "fail"),
        (over(1, 60, 90), "pass"),
        ((), "unknown"),
        (over(1, 60, nan, 64), "unknown"),
        (over(1, nan, 60, 64), "unknown"),
    ],
)
def test_swing_is_maximum_minus_minimum(series: Series, expected: str) -> None:
    assert answer("utilisation-swing", gpu_utilisation=series) == expected


@pytest.mark.parametrize(
    ("cpu", "gpu", "expected"),
    [
        (over(1, 90), over(1, 40), "fail"),
        (over(1, 90), over(1, 60), "pass"),
        (over(1, 70), over(1, 40), "pass"),
        (over(1, 90), (), "unknown"),
        (over(1, 70), (), "pass"),  # one condition is false whatever the other is
        ((), (), "unknown"),
    ],
)
def test_data_pipeline_alert_needs_busy_host_and_idle_device(cpu: Series, gpu: Series, expected: str) -> None:
    assert answer("data-pipeline-bound", cpu_utilisation=cpu, gpu_utilisation=gpu) == expected


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (((0, 100.0 * MB), (100, 400.0 * MB)), "fail"),  # 3 MB/s, 600 MB left: 200 s
        (((0, 100.0 * MB), (100, 200.0 * MB)), "pass"),  # 1 MB/s, 800 MB left: 800 s
        (((0, 400.0 * MB), (100, 400.0 * MB)), "unknown"),  # nothing grows, nothing is forecast
        ((), "unknown"),
    ],
)
def test_memory_forecast(series: Series, expected: str) -> None:
    assert answer("oom-forecast", peak_memory=series) == expected


def test_readings_by_hand() -> None:
    assert rate(((1.0, 10.0), (3.0, 14.0))) == pytest.approx(2.0)
    assert rate(((1.0, 10.0), (1.0, 14.0))) is None
    assert seconds_to_limit(((0.0, 10.0), (2.0, 14.0)), 20.0) == pytest.approx(3.0)
    assert seconds_to_limit(((0.0, 14.0), (2.0, 10.0)), 20.0) is None
    assert seconds_to_limit(((0.0, 10.0), (2.0, 14.0)), None) is None


def test_any_of_the_conditions_is_enough_where_the_rule_says_so() -> None:
    text = "rules: [{id: a, alert: {any: ['cpu_utilisation>80%', 'power>=75W'], action: look}}]"
    measurement = Measurement(benchmark="b", device="d", values={"cpu_utilisation": 10.0, "power": 75.0})
    outcomes = evaluate_alerts(rules(text), [measurement])
    (finding,) = alert_findings(outcomes, Settings())
    assert (finding.message, str(finding.severity)) == ("b[d]: look", "error")
