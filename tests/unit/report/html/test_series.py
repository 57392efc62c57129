"""Values of a metric over commits, and where its level changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as oracle

from perfgate.core.metric import KNOWN_METRICS
from perfgate.report.html.series import Value, level_changes, record_value
from tests.records import make_record

LATENCY, P99, MEMORY = (KNOWN_METRICS[name] for name in ("latency", "p99_latency", "peak_memory"))


def series(values: list[float]) -> list[Value | None]:
    return [Value(value, value, value) for value in values]


def test_a_sampled_metric_is_the_mean_of_its_runs_with_students_interval() -> None:
    record = make_record("toy", latencies=[[1.0, 5.0, 1.0], [2.0, 2.0, 9.0], [3.0, 3.0, 3.0]])
    value = record_value(record, LATENCY)
    low, high = oracle.t.interval(0.95, 2, loc=2.0, scale=1.0 / math.sqrt(3))  # medians 1, 2, 3
    assert value is not None
    assert (value.value, value.low, value.high) == pytest.approx((2.0, low, high))


def test_a_percentile_is_taken_run_by_run() -> None:
    record = make_record("toy", latencies=[[float(number) for number in range(1, 101)]] * 2)
    value = record_value(record, P99)
    assert value is not None
    assert (value.value, value.low, value.high) == (99, 99, 99)


def test_an_exact_metric_and_a_single_run_have_no_interval() -> None:
    record = make_record("toy", latencies=[[1.0, 2.0, 9.0]], exact={"peak_memory": 7.0})
    assert record_value(record, LATENCY) == Value(2.0, 2.0, 2.0)
    assert record_value(record, MEMORY) == Value(7.0, 7.0, 7.0)
    assert record_value(record, KNOWN_METRICS["energy_j"]) is None
    assert record_value(record, KNOWN_METRICS["wall_time"]) is None


def test_an_exact_metric_changes_with_every_new_value() -> None:
    found = level_changes(series([5, 5, 7, 7, 5]), MEMORY)
    assert [(change.place, change.text) for change in found] == [(2, "5 -> 7"), (4, "7 -> 5")]


@pytest.mark.parametrize(("to", "word"), [(12.0, "above"), (8.0, "below")])
def test_a_step_of_a_sampled_metric_is_found_where_it_happens(to: float, word: str) -> None:
    random = np.random.default_rng(7)
    values = [*random.normal(10, 0.1, 10), *random.normal(to, 0.1, 10)]
    found = level_changes(series([float(value) for value in values]), LATENCY)
    assert [change.place for change in found] == [10]
    assert f"is {word} the level of the 10 values before" in found[0].text


def test_places_without_a_value_are_passed_over() -> None:
    values: list[Value | None] = [*series([1.0] * 6), None, *series([2.0])]
    assert [change.place for change in level_changes(values, LATENCY)] == [7]


def test_a_short_series_is_not_judged() -> None:
    assert level_changes(series([1.0, 1.0, 1.0, 1.0, 9.0]), LATENCY) == ()


def test_unchanged_noise_rarely_changes_its_level() -> None:
    random = np.random.default_rng(8)
    alarms = sum(
        len(level_changes(series([float(value) for value in random.normal(10, 0.1, 20)]), LATENCY))
        for _ in range(100)
    )
    # At most 15 judgements a series, .1 % each way: 3 expected, more than 9 in one of 1,000 tries (Poisson)
    assert alarms <= 9
