"""Criterion: time of one iteration, names from benchmark.json, estimates where samples are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UnusableError
from perfgate.formats.criterion import measured_files
from tests.result_files import DATA, refusal, results_of, results_of_text, series_of

if TYPE_CHECKING:
    from pathlib import Path

NEW = "criterion/parse/small/new"


@pytest.mark.parametrize("name", ["benchmark.json", "sample.json", "estimates.json"])
def test_any_of_the_three_files_leads_to_the_samples(name: str) -> None:
    found = series_of(results_of(f"{NEW}/{name}"), "parse/small")
    # 1000 / 10, 2200 / 20, 3000 / 30, 4400 / 40, 5000 / 50 nanoseconds
    assert found.runs[0] == pytest.approx((100e-9, 110e-9, 100e-9, 110e-9, 100e-9))
    assert found.summary == ""


def test_without_samples_the_estimate_is_one_value() -> None:
    found = series_of(results_of("criterion/parse/flat/new/benchmark.json"), "parse/flat/3")
    assert found.runs[0] == pytest.approx((104e-9,))  # its slope is null, so the mean
    assert found.summary == "the mean of its samples"


def test_a_folder_is_read_at_its_newest_measurement(tmp_path: Path) -> None:
    assert [path.parent.parent.name for path in measured_files(DATA / "criterion")] == ["flat", "small"]
    (tmp_path / "a/base").mkdir(parents=True)
    (tmp_path / "a/base/benchmark.json").write_text("{}")
    assert measured_files(tmp_path) == []


def test_a_file_without_its_name_says_where_the_name_is() -> None:
    with pytest.raises(UnusableError, match=r"benchmark.json, which is not beside the file: x.bin:/: "):
        results_of_text((DATA / NEW / "sample.json").read_bytes())


def test_times_and_iteration_counts_must_go_together() -> None:
    text = '{"group_id": "g", "full_id": "g/f", "iters": [1, 2], "times": [5.0]}'
    with pytest.raises(UnusableError, match=r"1 times for 2 iteration counts: x.bin:/times: "):
        results_of_text(text)
    with pytest.raises(UnusableError, match=r"an iteration count is not above zero: x.bin:/iters: "):
        results_of_text(text.replace("[1, 2]", "[0]"))


def test_neither_samples_nor_estimates_are_refused() -> None:
    assert "neither sample.json nor estimates.json" in refusal(f"{NEW}/benchmark.json", "null", "null")
