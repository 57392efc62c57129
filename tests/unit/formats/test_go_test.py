"""Go's benchmark lines: units, directions, processes, what failed or was skipped."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from tests.result_files import DATA, left_out, results_of, results_of_text, series_of

ENCODE = "example.com/codec.BenchmarkEncode-8"
TEXT = (DATA / "go_text.txt").read_text(encoding="utf-8")


def test_the_lines_of_a_benchmark_are_the_samples_of_one_run() -> None:
    found = series_of(results_of("go_text.txt"), ENCODE)
    assert found.runs[0] == pytest.approx((1200e-9, 1250e-9, 1225e-9))


def test_every_unit_has_its_own_direction_and_kind() -> None:
    results = results_of("go_text.txt")
    speed = series_of(results, ENCODE, "bandwidth")
    assert speed.runs[0] == pytest.approx((53.33e6, 51.20e6, 52.24e6))
    assert (speed.metric.unit, speed.metric.direction) == ("B/s", "higher")
    bytes_used = series_of(results, ENCODE, "allocated_bytes")
    assert (bytes_used.runs, bytes_used.metric.kind) == (((64.0, 64.0, 64.0),), "exact")
    assert series_of(results, ENCODE, "allocations").metric.unit == "count"
    rate = series_of(results, "example.com/codec.BenchmarkServe/small-8", "req_per_s")
    assert (rate.runs, rate.metric.direction) == (((4000.0,),), "higher")


def test_failed_skipped_and_units_without_direction_are_named_apart() -> None:
    assert left_out(results_of("go_text.txt")) == {
        "skipped": ["example.com/codec.BenchmarkGPU-8"],
        "failed": ["example.com/codec.BenchmarkBroken-8", "example.com/other"],
        "not read": ["example.com/codec.BenchmarkServe/small-8"],
    }


def test_a_unit_line_says_the_direction() -> None:
    results = results_of_text("Unit misses/op better=lower\nBenchmarkA 1 3 misses/op\n")
    assert series_of(results, "BenchmarkA", "misses_per_op").metric.direction == "lower"


def test_the_same_package_again_is_another_process() -> None:
    section = "pkg: p\nBenchmarkA 1 10 ns/op\nBenchmarkA 1 11 ns/op\nPASS\n"
    found = series_of(results_of_text(section * 2), "p.BenchmarkA")
    assert [len(run) for run in found.runs] == [2, 2]


def test_the_events_of_packages_that_take_turns_are_put_together() -> None:
    results = results_of("go_events.json")
    assert series_of(results, ENCODE).runs[0] == pytest.approx((1200e-9,))
    assert series_of(results, "example.com/other.BenchmarkDecode-8").runs[0] == pytest.approx((5e-9,))


def test_the_header_names_the_machine() -> None:
    results = results_of("go_text.txt")
    assert results.platform == "linux-amd64"
    assert results.context["cpu_model"] == "Example CPU 3000"


def test_log_lines_that_begin_like_a_result_are_no_results() -> None:
    results = results_of_text("pkg: p\nBenchmarkA\nBenchmarkA starts now\nBenchmarkA 5 10 ns/op\n")
    assert [item.benchmark for item in results.series] == ["p.BenchmarkA"]


def test_a_line_that_was_cut_off_is_refused_with_its_number() -> None:
    with pytest.raises(UnusableError, match=r"without pairs of value and unit: x.bin:6: "):
        results_of_text(TEXT[: TEXT.index("ns/op")])


def test_a_value_that_is_not_finite_fails_its_benchmark() -> None:
    for word in ("NaN", "+Inf"):
        assert left_out(results_of_text(f"BenchmarkA 1 {word} ns/op\n")) == {"failed": ["BenchmarkA"]}
