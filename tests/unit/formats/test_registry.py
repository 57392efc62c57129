"""Every format is told by what a file holds, and keeps the contract of a reader."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.formats.document import read_document
from perfgate.formats.registry import NAMES, reader, recognise
from tests.result_files import DATA, FORMAT_OF


@pytest.mark.parametrize("name", sorted(FORMAT_OF))
def test_a_file_is_recognised_under_any_name(name: str) -> None:
    document = read_document((DATA / name).read_bytes(), "x.bin")
    assert recognise(document) == FORMAT_OF[name]


def test_every_data_file_is_in_the_table() -> None:
    files = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()}
    assert files - set(FORMAT_OF) == {"asv/benchmarks.json"}  # the catalogue beside a result file


@pytest.mark.parametrize("name", sorted(FORMAT_OF))
def test_no_other_format_takes_the_file_for_its_own(name: str) -> None:
    document = read_document((DATA / name).read_bytes(), "x.bin")
    assert [other for other in NAMES if reader(other).recognises(document)] == [FORMAT_OF[name]]


def test_the_page_tells_of_every_format() -> None:
    page = (DATA.parents[2] / "docs" / "IMPORT.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in page] == []


def test_every_format_has_a_file() -> None:
    assert set(NAMES) - set(FORMAT_OF.values()) == {"custom-smaller", "custom-bigger"}


@pytest.mark.parametrize(
    "text", ["hello", "{}", "[]", "[1]", '{"schema": "perfgate/record/1"}', "a,b\n1,2\n"]
)
def test_what_no_format_knows_is_a_usage_error_that_names_them(text: str) -> None:
    with pytest.raises(
        UsageError, match=r"of no format that is known here: x.bin: .*pytest-benchmark, .*--format"
    ):
        recognise(read_document(text.encode(), "x.bin"))
