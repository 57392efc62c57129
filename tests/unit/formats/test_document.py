"""Files as readers get them: encodings, JSON, lines of JSON, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UnusableError
from perfgate.formats.document import read_document, read_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty: f: "),
        (b"\xef\xbb\xbf \r\n", "the file is empty: f: "),
        (b"a\xffb", "byte 1 is not UTF-8: f: "),
        ("{}".encode("utf-16"), "the text is UTF-16: f: "),
        (b'{"a": [1, 2', "broken JSON, .*: f:1:12: "),
        (b'{"a": 1}\n{"b": ', "broken JSON, .*: f:2:7: "),
        (b'{"a": 1} x', "broken JSON, .*: f:1:10: "),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(UnusableError, match=message):
        read_document(data, "f")


def test_a_byte_order_mark_is_taken_off() -> None:
    document = read_document(b'\xef\xbb\xbf{"a": 1}', "f")
    assert document.json is not None
    assert document.json.value == {"a": 1}


def test_lines_of_json_are_rows_and_no_single_value() -> None:
    document = read_document(b'{"a": 1}\r\n\r\n{"a": 2}\n', "f")
    assert document.json is None
    assert [row.value for row in document.rows] == [{"a": 1}, {"a": 2}]


def test_text_has_neither() -> None:
    document = read_document(b"pkg: p\r\nPASS\r\n", "f")
    assert (document.json, document.rows, document.lines) == (None, (), ["pkg: p", "PASS"])


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="cannot be read, no such file"):
        read_file(tmp_path / "x")
    with pytest.raises(UnusableError, match="no regular file"):
        read_file(tmp_path)


def test_a_neighbour_is_found_by_its_path_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    (tmp_path / "b.json").write_text("[2]")
    document = read_file(tmp_path / "a.json")
    neighbour = document.beside("b.json")
    assert neighbour is not None
    assert neighbour.rows[0].value == [2]
    assert document.beside("c.json") is None
