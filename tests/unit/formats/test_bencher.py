"""Bencher Metric Format: units of the built-in measures."""

from __future__ import annotations

import pytest

from tests.result_files import left_out, refusal, results_of, series_of


def test_built_in_measures_have_their_units() -> None:
    results = results_of("bencher.json")
    assert series_of(results, "parse").runs[0] == pytest.approx((88e-9,))
    rate = series_of(results, "parse", "throughput")
    assert (rate.runs, rate.metric.direction) == (((5.5e6,),), "higher")
    size = series_of(results, "app", "file_size")
    assert (size.runs, size.metric.unit, size.metric.kind) == (((4096.0,),), "B", "exact")


def test_times_are_single_values_and_sizes_are_what_they_are() -> None:
    results = results_of("bencher.json")
    assert series_of(results, "parse").summary == "the one value of the file"
    assert series_of(results, "app", "file_size").summary == ""


def test_other_measures_are_not_read() -> None:
    assert left_out(results_of("bencher.json")) == {"not read": ["app"]}


def test_a_value_that_is_no_number_is_refused_at_its_place() -> None:
    assert "a number was expected, not a text: x.bin:/parse/latency/value: " in refusal(
        "bencher.json", "88.0", '"88"'
    )
