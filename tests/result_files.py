"""Result files of other tools, written by hand for the tests, and what the readers make of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UnusableError
from perfgate.formats.document import read_document, read_file
from perfgate.formats.registry import reader, recognise

if TYPE_CHECKING:
    from perfgate.formats.series import Results, Series

DATA = Path(__file__).parent / "data" / "formats"
FORMAT_OF = {  # file below DATA: the format that its content shows
    "pytest_benchmark_3.json": "pytest-benchmark",
    "pytest_benchmark_4_stats_only.json": "pytest-benchmark",
    "pytest_benchmark_5.json": "pytest-benchmark",
    "google_benchmark_schema_1.json": "google-benchmark",
    "google_benchmark_aggregates_only.json": "google-benchmark",
    "google_benchmark_no_run_type.json": "google-benchmark",
    "hyperfine_with_times.json": "hyperfine",
    "hyperfine_without_times.json": "hyperfine",
    "go_text.txt": "go-test",
    "go_events.json": "go-test",
    "criterion/parse/small/new/benchmark.json": "criterion",
    "criterion/parse/small/new/sample.json": "criterion",
    "criterion/parse/small/new/estimates.json": "criterion",
    "criterion/parse/flat/new/benchmark.json": "criterion",
    "criterion/parse/flat/new/estimates.json": "criterion",
    "cargo_criterion.json": "cargo-criterion",
    "asv_version_1.json": "asv",
    "asv/runner-1/version_2.json": "asv",
    "jmh.json": "jmh",
    "trtexec_h2d.json": "trtexec",
    "trtexec_in.json": "trtexec",
    "onnxruntime_profile.json": "onnxruntime-profile",
    "msprof_op_summary.csv": "msprof",
    "msprof_op_statistic.csv": "msprof",
    "mlperf_summary_offline.txt": "mlperf",
    "mlperf_summary_single_stream.txt": "mlperf",
    "mlperf_summary_server_invalid.txt": "mlperf",
    "mlperf_detail.txt": "mlperf",
    "mlperf_training.txt": "mlperf",
    "github_data.js": "github-action-benchmark",
    "github_custom_units.json": "github-action-benchmark",
    "github_custom_points.json": "github-action-benchmark",
    "bencher.json": "bencher",
}


def results_of(name: str) -> Results:
    """What the reader of a file's format takes out of it."""
    return reader(FORMAT_OF[name]).read(read_file(DATA / name))


def results_of_text(text: str | bytes) -> Results:
    """The same for a content of the test."""
    document = read_document(text.encode() if isinstance(text, str) else text, "x.bin")
    return reader(recognise(document)).read(document)


def changed(name: str, old: str, new: str) -> Results:
    """The same for a file with one text replaced; it has to be there."""
    text = (DATA / name).read_text(encoding="utf-8")
    assert old in text
    return results_of_text(text.replace(old, new, 1))


def refusal(name: str, old: str, new: str) -> str:
    """What is said of such a file when it is refused: always one line."""
    with pytest.raises(UnusableError) as caught:
        changed(name, old, new)
    assert "\n" not in caught.value.line
    return caught.value.line


def series_of(results: Results, benchmark: str, metric: str = "latency") -> Series:
    """The series of one metric of one benchmark."""
    found = [item for item in results.series if item.benchmark == benchmark and item.metric.name == metric]
    assert len(found) == 1, [(item.benchmark, item.metric.name) for item in results.series]
    return found[0]


def left_out(results: Results) -> dict[str, list[str]]:
    """Names of what was left out, by status."""
    found: dict[str, list[str]] = {}
    for item in results.left_out:
        found.setdefault(str(item.status), []).append(item.benchmark)
    return found
