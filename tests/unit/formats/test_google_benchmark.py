"""Google Benchmark: repetitions as samples, aggregates, errors and skips told apart."""

from __future__ import annotations

import pytest

from tests.result_files import changed, left_out, refusal, results_of, series_of

FILE = "google_benchmark_schema_1.json"


def test_repetitions_are_the_samples_of_one_run() -> None:
    results = results_of(FILE)
    assert series_of(results, "BM_Copy/64").runs[0] == pytest.approx((200e-9, 210e-9, 205e-9))
    cpu = series_of(results, "BM_Copy/64", "cpu_time")
    assert cpu.runs[0] == pytest.approx((190e-9, 195e-9, 192e-9))


def test_rates_are_better_when_higher() -> None:
    results = results_of(FILE)
    items = series_of(results, "BM_Copy/64", "throughput")
    assert (items.runs, items.metric.unit, items.metric.direction) == (
        ((5e6, 4.8e6, 4.9e6),),
        "1/s",
        "higher",
    )
    assert series_of(results, "BM_Copy/64", "bandwidth").metric.unit == "B/s"


def test_each_entry_has_its_own_time_unit() -> None:
    found = series_of(results_of(FILE), "BM_Manual/manual_time")
    assert found.runs == ((0.0015,),)  # 1.5 ms


def test_aggregates_errors_skips_and_counters_are_named_apart() -> None:
    assert left_out(results_of(FILE)) == {
        "aggregate": ["BM_Copy/64"],
        "failed": ["BM_Device"],
        "skipped": ["BM_Later"],
        "not read": ["BM_Copy/64"],
    }
    reasons = [item.reason for item in results_of(FILE).left_out]
    assert "1 of 1 repetitions: no device" in reasons
    assert "mean, median, stddev, cv of its repetitions" in reasons


def test_a_file_of_aggregates_gives_their_median_as_one_value() -> None:
    found = series_of(results_of("google_benchmark_aggregates_only.json"), "BM_Copy/64")
    assert found.runs[0] == pytest.approx((205e-9,))
    assert found.summary == "the median of 3 repetitions"


def test_files_from_before_run_types_tell_aggregates_by_their_names() -> None:
    results = results_of("google_benchmark_no_run_type.json")
    assert series_of(results, "BM_Old").runs[0] == pytest.approx((3e-6, 4e-6))
    assert left_out(results) == {"aggregate": ["BM_Old"]}


def test_an_unknown_schema_version_is_named() -> None:
    line = refusal(FILE, '"json_schema_version": 1', '"json_schema_version": 2')
    assert "unknown JSON schema version 2 of Google Benchmark" in line


def test_an_unknown_time_unit_is_named_with_its_place() -> None:
    line = refusal(FILE, '"time_unit": "ns"', '"time_unit": "fortnights"')
    assert "unknown time unit 'fortnights': x.bin:/benchmarks/0/time_unit" in line


def test_two_benchmarks_of_one_name_are_no_repetitions() -> None:
    line = refusal(FILE, '"repetition_index": 1', '"repetition_index": 0')
    assert "two benchmarks are named 'BM_Copy/64'" in line


def test_a_time_of_zero_fails_its_benchmark() -> None:
    assert "BM_Copy/64" in left_out(changed(FILE, '"real_time": 200.0', '"real_time": 0.0'))["failed"]
