"""msprof's CSV files: byte order mark, both line ends, quoted cells, tasks without a duration."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from tests.result_files import DATA, left_out, refusal, results_of, results_of_text, series_of

SUMMARY = "msprof_op_summary.csv"


def test_the_tasks_of_an_operator_are_its_samples() -> None:
    assert (DATA / SUMMARY).read_bytes().startswith(b"\xef\xbb\xbf")
    results = results_of(SUMMARY)
    assert series_of(results, "conv1").runs[0] == pytest.approx((12.5e-6, 12.75e-6))
    assert series_of(results, "relu1").runs[0] == pytest.approx((2e-6,))


def test_another_device_in_the_file_is_another_benchmark() -> None:
    assert series_of(results_of(SUMMARY), "conv1@1").runs[0] == pytest.approx((13e-6,))


def test_tasks_without_a_duration_are_skipped_by_name() -> None:
    assert left_out(results_of(SUMMARY)) == {"skipped": ["wait"]}


def test_a_statistic_is_one_value() -> None:
    found = series_of(results_of("msprof_op_statistic.csv"), "MatMulV2/AI_CORE")
    assert found.runs[0] == pytest.approx((10e-6,))
    assert found.summary == "the mean of 4 tasks"


def test_a_duration_that_is_none_is_refused_with_its_line() -> None:
    assert "'fast' is no duration: x.bin:3: " in refusal(SUMMARY, "30.0,2.0", "30.0,fast")
    assert "'nan' is no duration: x.bin:3: " in refusal(SUMMARY, "30.0,2.0", "30.0,nan")


def test_a_row_that_was_cut_off_is_refused_with_its_line() -> None:
    data = (DATA / SUMMARY).read_bytes()
    with pytest.raises(UnusableError, match=r"x.bin:6: "):
        results_of_text(data[: data.rindex(b"13.0")])


def test_a_column_that_stands_twice_is_refused() -> None:
    assert "a column stands twice: x.bin:1: " in refusal(SUMMARY, "Task Wait Time(us)", "Op Name")
