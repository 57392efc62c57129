"""github-action-benchmark: the newest commit of a store, directions by tool and by unit."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError, UsageError
from perfgate.formats.document import read_file
from perfgate.formats.registry import reader
from tests.result_files import DATA, changed, left_out, refusal, results_of, results_of_text, series_of


def test_the_newest_commit_of_every_suite_is_read() -> None:
    results = results_of("github_data.js")
    assert series_of(results, "Rust/fib").runs[0] == pytest.approx((100e-9,))  # the older one was 95
    assert left_out(results) == {"not read": ["Rust"]}


def test_the_tool_says_which_way_is_better() -> None:
    results = results_of("github_data.js")
    assert series_of(results, "Rust/fib").metric.direction == "lower"
    assert series_of(results, "Python/test_fib", "throughput").metric.direction == "higher"
    quality = series_of(results, "Score/quality", "value")
    assert (quality.metric.direction, quality.metric.unit) == ("higher", "points")


def test_every_value_is_a_single_one() -> None:
    assert all(item.summary for item in results_of("github_data.js").series)


def test_a_list_is_read_where_its_units_say_the_direction() -> None:
    results = results_of("github_custom_units.json")
    assert series_of(results, "build").runs == ((61.5,),)
    assert series_of(results, "rate", "throughput").metric.direction == "higher"
    binary = series_of(results, "binary", "size")
    assert (binary.runs, binary.metric.kind, binary.summary) == (((512e3,),), "exact", "")


def test_a_list_whose_unit_does_not_say_it_needs_its_format() -> None:
    with pytest.raises(UsageError, match=r"give --format custom-smaller or --format custom-bigger"):
        results_of("github_custom_points.json")
    document = read_file(DATA / "github_custom_points.json")
    for name, direction in (("custom-smaller", "lower"), ("custom-bigger", "higher")):
        assert series_of(reader(name).read(document), "quality", "value").metric.direction == direction


def test_an_unknown_tool_is_named() -> None:
    assert "unknown tool 'newest'" in refusal("github_data.js", '"tool": "pytest"', '"tool": "newest"')


def test_a_suite_without_an_entry_has_failed() -> None:
    results = changed("github_data.js", '"entries": {', '"entries": {"Empty": [],')
    assert left_out(results)["failed"] == ["Empty"]


def test_a_store_that_was_cut_off_is_refused() -> None:
    with pytest.raises(UnusableError, match=r"broken JSON after window.BENCHMARK_DATA ="):
        results_of_text((DATA / "github_data.js").read_bytes()[:200])
