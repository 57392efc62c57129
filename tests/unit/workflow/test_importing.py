"""Files to records: devices, several files as runs, what was left out, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UnusableError, UsageError
from perfgate.workflow.importing import ImportRequest, import_files
from perfgate.workflow.measuring import read_records
from tests.result_files import DATA

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.workflow.importing import Imported

PYTEST = DATA / "pytest_benchmark_5.json"
SMALL = "tests/test_parse.py::test_small[pytest-benchmark-linux-x86_64]"


def imported(tmp_path: Path, *paths: Path, **asked: str) -> Imported:
    return import_files(paths, tmp_path / "out", ImportRequest(**asked))


def hyperfine(path: Path, times: list[float], **more: object) -> Path:
    entry = {"command": "a", "mean": 1.0, "times": times, **more}
    path.write_text(json.dumps({"results": [entry]}))
    return path


def test_the_records_are_files_that_every_verb_reads(tmp_path: Path) -> None:
    result = imported(tmp_path, PYTEST)
    assert read_records(tmp_path / "out") == dict(result.records)
    record = result.records[SMALL]
    assert record.backend == "pytest-benchmark"
    assert record.context["cpu_model"] == "Example CPU 3000"


def test_the_device_is_the_users_the_machines_or_a_plain_word(tmp_path: Path) -> None:
    device = next(iter(imported(tmp_path, PYTEST, device="ci").records.values())).device
    assert device == "ci"
    assert SMALL in imported(tmp_path, PYTEST).records
    unnamed = imported(tmp_path, hyperfine(tmp_path / "h", [1.0]))
    assert list(unnamed.records) == ["a[imported]"]


def test_files_of_one_tool_are_runs_of_the_same_benchmarks(tmp_path: Path) -> None:
    paths = [hyperfine(tmp_path / str(number), [1.0 + number] * 5) for number in range(3)]
    record = imported(tmp_path, *paths).records["a[imported]"]
    assert [run.samples["latency"][0] for run in record.runs] == [1.0, 2.0, 3.0]


def test_a_benchmark_that_failed_in_one_file_is_failed(tmp_path: Path) -> None:
    good = hyperfine(tmp_path / "1", [1.0] * 5)
    bad = hyperfine(tmp_path / "2", [2.0] * 5, exit_codes=[1])
    result = imported(tmp_path, good, bad, PYTEST)
    assert "a[imported]" not in result.records
    assert [(item.path, item.entry.status) for item in result.left_out] == [(str(bad), "failed")]


def test_a_folder_of_criterion_is_one_run_of_each_benchmark(tmp_path: Path) -> None:
    result = imported(tmp_path, DATA / "criterion")
    assert sorted(result.records) == ["parse/flat/3[imported]", "parse/small[imported]"]


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no measurement of Criterion in this folder"):
        imported(tmp_path, DATA / "asv")


def test_one_process_is_never_counted_twice(tmp_path: Path) -> None:
    (tmp_path / "copy").write_bytes(PYTEST.read_bytes())
    with pytest.raises(UsageError, match=r"the same content as .*pytest_benchmark_5.json"):
        imported(tmp_path, PYTEST, tmp_path / "copy")


def test_files_of_different_machines_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text(PYTEST.read_text().replace("Example CPU 3000", "Other CPU"))
    with pytest.raises(UsageError, match=r"different machines, cpu_model 'Example CPU 3000' and 'Other CPU'"):
        imported(tmp_path, PYTEST, other)


def test_two_tools_must_not_share_a_key(tmp_path: Path) -> None:
    bencher = tmp_path / "b"
    bencher.write_text('{"a": {"latency": {"value": 1.0}}}')
    with pytest.raises(UsageError, match=r"a\[imported\] is in files of hyperfine and of bencher"):
        imported(tmp_path, hyperfine(tmp_path / "h", [1.0]), bencher)


def test_a_file_of_failures_alone_is_refused_with_the_first_reason(tmp_path: Path) -> None:
    path = hyperfine(tmp_path / "h", [1.0], exit_codes=[2])
    with pytest.raises(UnusableError, match=r"no benchmark can be used, a: 1 of 1 calls failed, .*code 2"):
        imported(tmp_path, path)
    path.write_text('{"results": []}')
    with pytest.raises(UnusableError, match=r"no benchmark can be used, it has no entry"):
        imported(tmp_path, path, format_name="hyperfine")


def test_a_format_that_the_user_names_is_taken_at_their_word(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match=r"no JSON, so no file of jmh"):
        imported(tmp_path, DATA / "go_text.txt", format_name="jmh")
    with pytest.raises(
        UnusableError, match=r"an array was expected, not an object: .*pytest_benchmark_5.json:/: "
    ):
        imported(tmp_path, PYTEST, format_name="jmh")


def test_the_user_names_the_benchmark_of_files_that_have_no_name(tmp_path: Path) -> None:
    result = imported(tmp_path, DATA / "trtexec_h2d.json", DATA / "trtexec_in.json", name="resnet")
    assert [(key, len(record.runs)) for key, record in result.records.items()] == [("resnet[imported]", 2)]
