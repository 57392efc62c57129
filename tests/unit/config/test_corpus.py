"""Every shell file of the corpus against its written answers, as it is and in variants that must not matter.

The answers were made by running the files with recording stand-ins; see tests/data/commands/README.md.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.benchmarks.corpus import DEFAULT, compare, load, main

if TYPE_CHECKING:
    from pathlib import Path

WANTED = load(DEFAULT)
SHELL_FILES = [name for name in WANTED if name.endswith((".sh", ".ps1"))]
# Words of equal length, so that all columns stay.
RENAMED = (
    ("Ascend", "Cortex"),
    ("models", "kernel"),
    (".onnx", ".qqqq"),
    ("heron", "stork"),
    ("cedar", "larix"),
    ("brine", "algae"),
    ("root=", "base="),
    ("$root", "$base"),
)


def _bytes(name: str) -> bytes:
    return (DEFAULT / "files" / name).read_bytes()


@pytest.mark.parametrize("name", SHELL_FILES)
def test_a_file_gives_exactly_its_answers(name: str) -> None:
    assert compare(DEFAULT, name, WANTED[name]).wrong == ()


@pytest.mark.parametrize("name", SHELL_FILES)
def test_crlf_line_ends_change_no_answer(name: str) -> None:
    data = _bytes(name).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    assert compare(DEFAULT, name, WANTED[name], data).wrong == ()


@pytest.mark.parametrize("name", SHELL_FILES)
def test_a_byte_order_mark_changes_no_answer(name: str) -> None:
    data = b"\xef\xbb\xbf" + _bytes(name).removeprefix(b"\xef\xbb\xbf")
    assert compare(DEFAULT, name, WANTED[name], data).wrong == ()


@pytest.mark.parametrize("name", SHELL_FILES)
def test_renamed_models_chips_and_paths_change_the_texts_only(name: str) -> None:
    text, answers = _bytes(name).decode(), json.dumps(WANTED[name], ensure_ascii=False)
    for old, new in RENAMED:
        text, answers = text.replace(old, new), answers.replace(old, new)
    entry: dict[str, Any] = json.loads(answers)
    assert compare(DEFAULT, name, entry, text.encode()).wrong == ()


def test_the_table_counts_a_wrong_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = {"a.sh": {**WANTED["25_lookalikes.sh"], "traps": ["lookalike"], "notes": []}}
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.sh").write_text("atc --framework=5\n")
    (tmp_path / "expected.json").write_text(json.dumps(answers))
    assert main([str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "lookalike: 0 of 1" in printed
    assert "0 of 1 files right" in printed
