"""The message stream of cargo-criterion."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from tests.result_files import DATA, left_out, results_of, results_of_text, series_of


def test_measured_values_are_divided_by_their_iterations() -> None:
    found = series_of(results_of("cargo_criterion.json"), "norm")
    assert found.runs[0] == pytest.approx((100e-9, 110e-9, 100e-9, 110e-9, 100e-9))


def test_a_measurement_that_is_no_time_is_not_read() -> None:
    assert left_out(results_of("cargo_criterion.json")) == {"not read": ["cycles"]}


def test_messages_of_the_compiler_are_passed_over() -> None:
    text = (DATA / "cargo_criterion.json").read_text()
    results = results_of_text('{"reason": "compiler-artifact", "fresh": true}\n' + text)
    assert series_of(results, "norm").runs


def test_without_measured_values_the_typical_one_is_kept() -> None:
    text = (
        '{"reason": "benchmark-complete", "id": "a", "unit": "us", "iteration_count": [], '
        '"measured_values": [], "typical": {"estimate": 2.0, "unit": "us"}}'
    )
    found = series_of(results_of_text(text), "a")
    assert (found.runs, found.summary) == (((2e-6,),), "the typical value")


def test_a_stream_that_was_cut_off_is_refused_with_its_line() -> None:
    text = (DATA / "cargo_criterion.json").read_text().rstrip()
    with pytest.raises(UnusableError, match=r"broken JSON, .*: x.bin:3:\d+: "):
        results_of_text(text[:-5])
