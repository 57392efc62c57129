"""pytest-benchmark: seconds of each round, three versions, statistics only."""

from __future__ import annotations

import pytest

from tests.result_files import changed, left_out, refusal, results_of, series_of

SMALL = "tests/test_parse.py::test_small"


@pytest.mark.parametrize("name", ["pytest_benchmark_5.json", "pytest_benchmark_3.json"])
def test_the_rounds_of_a_file_are_one_run_of_samples(name: str) -> None:
    found = series_of(results_of(name), SMALL)
    assert found.runs == ((0.012, 0.010, 0.014, 0.011, 0.013),)  # the file's own seconds
    assert (found.metric.unit, found.metric.direction, found.summary) == ("s", "lower", "")
    assert found.protocol == {"timer": "perf_counter", "disable_gc": "False", "warmup": "False"}


@pytest.mark.parametrize("name", ["pytest_benchmark_5.json", "pytest_benchmark_3.json"])
def test_the_machine_is_what_the_file_says(name: str) -> None:
    results = results_of(name)
    assert results.platform == "linux-x86_64"
    assert results.context == {
        "cpu_model": "Example CPU 3000",
        "cpu_count": "8",
        "os_release": "Linux 6.1.0",
        "runtime_version": "CPython 3.11.4",
        "host_name": "runner-1",
    }


def test_statistics_alone_are_one_value_and_say_which() -> None:
    found = series_of(results_of("pytest_benchmark_4_stats_only.json"), SMALL)
    assert found.runs == ((0.012,),)
    assert found.summary == "the median of 5 rounds"


def test_an_unknown_version_is_named() -> None:
    line = refusal("pytest_benchmark_5.json", '"version": "5.1.0"', '"version": "9.0.0"')
    assert "unknown version '9.0.0' of pytest-benchmark" in line
    assert "x.bin:/version" in line


def test_a_round_that_is_not_finite_is_refused_at_its_place() -> None:
    for word in ("NaN", "Infinity", "1e999"):
        line = refusal("pytest_benchmark_5.json", "0.011", word)
        assert "the number is not finite: x.bin:/benchmarks/0/stats/data/3: " in line


def test_a_round_of_zero_seconds_fails_its_benchmark_alone() -> None:
    results = changed("pytest_benchmark_5.json", "1e-06", "0.0")
    assert left_out(results) == {"failed": ["tests/test_parse.py::test_param[10]"]}
    assert series_of(results, SMALL).runs


def test_two_benchmarks_of_one_name_are_refused() -> None:
    line = refusal("pytest_benchmark_5.json", "test_parse.py::test_param[10]", "test_parse.py::test_small")
    assert f"two benchmarks are named '{SMALL}'" in line
