"""JMH: forks as runs, modes and their directions, histograms, percentiles."""

from __future__ import annotations

import json

import pytest

from tests.result_files import refusal, results_of, results_of_text, series_of

PARSE = "org.example.Parse.parse"


def test_forks_are_runs_and_iterations_samples() -> None:
    found = series_of(results_of("jmh.json"), f"{PARSE}:avgt[size=10]")
    assert len(found.runs) == 2
    assert found.runs[0] == pytest.approx((10e-6, 11e-6, 10.5e-6))
    assert found.runs[1] == pytest.approx((9.5e-6, 9e-6, 10e-6))
    assert found.protocol == {"mode": "avgt", "threads": "1"}


def test_throughput_is_better_when_higher() -> None:
    found = series_of(results_of("jmh.json"), f"{PARSE}:thrpt[size=10]", "throughput")
    assert (found.metric.unit, found.metric.direction) == ("1/s", "higher")
    assert found.runs[0] == pytest.approx((100e3, 102e3, 101e3))  # 100 ops/ms


def test_a_histogram_holds_each_call_as_often_as_it_was_counted() -> None:
    found = series_of(results_of("jmh.json"), "org.example.Parse.call:sample")
    assert found.runs[0] == pytest.approx((100e-9, 100e-9, 150e-9, 100e-9, 100e-9, 100e-9))
    assert found.runs[1] == pytest.approx((110e-9,) * 5)


def test_a_huge_histogram_keeps_every_kth_call_of_its_law() -> None:
    entry = {
        "benchmark": "b",
        "mode": "sample",
        "primaryMetric": {"scoreUnit": "ns/op", "rawDataHistogram": [[[[1.0, 6_000_000], [2.0, 2_000_000]]]]},
    }
    run = series_of(results_of_text(json.dumps([entry])), "b:sample").runs[0]
    assert len(run) == 2_000_000
    assert run.count(run[0]) == 1_500_000  # three quarters, as in the file


def test_without_raw_data_the_median_of_the_percentiles_is_one_value() -> None:
    found = series_of(results_of("jmh.json"), "org.example.Parse.stored:sample")
    assert found.runs[0] == pytest.approx((1.5e-9,))
    assert found.summary == "the median of its samples"


def test_single_shots_are_times() -> None:
    assert series_of(results_of("jmh.json"), "org.example.Parse.start:ss").runs == ((1.25,), (1.5,))


def test_allocated_bytes_are_read_out_of_the_profiler() -> None:
    found = series_of(results_of("jmh.json"), f"{PARSE}:avgt[size=10]", "allocated_bytes")
    assert found.runs == ((64.0, 64.01, 64.0), (64.0, 64.0, 64.0))
    assert found.metric.kind == "exact"


def test_the_virtual_machine_is_the_runtime() -> None:
    runtime = results_of("jmh.json").context["runtime_version"]
    assert runtime == "OpenJDK 64-Bit Server VM 17.0.1 17.0.1+12"


def test_an_unknown_version_is_named() -> None:
    line = refusal("jmh.json", '"jmhVersion": "1.36"', '"jmhVersion": "2.0"')
    assert "unknown version '2.0' of JMH" in line


def test_a_count_that_is_none_is_refused_at_its_place() -> None:
    line = refusal("jmh.json", "110.0,\n       5", "110.0,\n       -5")
    assert "-5 is no count: x.bin:/2/primaryMetric/rawDataHistogram/1/0/0/1" in line
