"""asv: both versions, parameters, units of the catalogue and of the names, failed and skipped."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from perfgate.formats.document import read_document
from perfgate.formats.registry import reader
from tests.result_files import DATA, left_out, refusal, results_of, results_of_text, series_of

V1, V2 = "asv_version_1.json", "asv/runner-1/version_2.json"


def test_version_2_has_columns() -> None:
    found = series_of(results_of(V2), "parse.Suite.time_small")
    assert found.runs == ((0.0011, 0.0012, 0.0012, 0.0013, 0.0012),)
    assert found.summary == ""


def test_version_1_has_plain_values_lists_and_objects() -> None:
    results = results_of(V1)
    assert series_of(results, "time_plain").runs == ((0.25,),)
    assert series_of(results, "time_plain").summary == "the median of its samples"
    assert series_of(results, "time_params('a')").runs == ((0.1, 0.1, 0.11, 0.1, 0.1),)
    assert series_of(results, "time_params('b')").runs == ((0.2, 0.2, 0.21, 0.2, 0.2),)
    assert series_of(results, "time_one").runs == ((0.3, 0.31, 0.3, 0.3, 0.29),)


def test_memory_is_bytes_and_exact() -> None:
    found = series_of(results_of(V2), "parse.Suite.peakmem_small", "peak_memory")
    assert (found.runs, found.metric.unit, found.metric.kind) == (((52428800.0,),), "B", "exact")
    assert series_of(results_of(V1), "mem_list", "memory").runs == ((1024.0,),)


def test_null_is_failed_and_nan_is_skipped() -> None:
    results = results_of(V2)
    assert series_of(results, "parse.Suite.time_sizes(10)").runs == ((0.001,),)
    assert left_out(results) == {
        "failed": ["parse.Suite.time_sizes(20)", "parse.Suite.time_broken"],
        "skipped": ["parse.Suite.time_sizes(30)"],
        "not read": ["parse.Suite.track_ratio"],
    }


def test_without_the_catalogue_a_tracked_value_has_no_unit() -> None:
    text = (DATA / V2).read_bytes()
    results = reader("asv").read(read_document(text, "elsewhere/x.bin"))
    reasons = [item.reason for item in results.left_out if item.benchmark == "parse.Suite.track_ratio"]
    assert reasons == ["its unit is not in the file: which way is better is not known"]


def test_an_unknown_version_is_named() -> None:
    assert "unknown version 3 of an asv result file" in refusal(V2, '"version": 2', '"version": 3')


def test_results_must_fit_the_parameters() -> None:
    with pytest.raises(UnusableError, match=r"2 results for 3 combinations"):
        results_of_text((DATA / V2).read_text().replace("0.001,\n    null,", "0.001,", 1))


def test_a_bomb_of_parameters_is_refused() -> None:
    axis = "[" + ",".join("1" * 40) + "]"
    text = f'"params": [{",".join([axis] * 9)}], "samples": null'
    line = refusal(V1, '"params": [],\n   "samples"', f'{text}, "other"')
    assert "more than 100,000 combinations" in line
