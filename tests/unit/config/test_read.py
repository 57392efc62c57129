"""One file to its facts: which reader, which encoding, and what stops reading."""

from __future__ import annotations

import pytest

from perfgate.config.programs import GFLAGS, WATCH, Program
from perfgate.config.read import read
from perfgate.config.readers import interpreter_of, reader_of

LINE = b"atc --framework=5\n"


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("a.sh", ""),
        ("bin/convert", "#!/bin/bash -e"),
        ("convert", "#!/usr/bin/env -S bash"),
        ("convert", "#!/usr/bin/env FOO=1 sh"),
        ("convert", "#! /bin/dash"),
    ],
)
def test_shell_scripts_are_known_by_name_or_first_line(path: str, first: str) -> None:
    reader = reader_of(path, first)
    assert reader is not None
    assert reader.function.endswith("read_shell_file")


def test_a_file_of_no_known_kind_says_nothing() -> None:
    found = read("notes.txt", LINE)
    assert (found.commands, found.notes, found.incomplete) == ((), (), False)
    assert len(found.digest) == 64


def test_versions_and_folders_of_an_interpreter_do_not_count() -> None:
    assert interpreter_of("#!/usr/local/bin/python3.11 -u") == "python"
    assert interpreter_of("# no") == ""


def test_a_script_without_a_watched_name_is_not_read() -> None:
    assert read("a.sh", b"if batch match\n").notes == ()
    assert read("a.sh", b"if atc\n").notes[0].code == "syntax-error"


def test_crlf_is_joined_and_noted_at_the_first_continuation_of_a_command() -> None:
    found = read("a.sh", b"x=1\r\natc \\\r\n --a=$x \\\r\n --b\r\n")
    (command,) = found.commands
    assert [(flag.name, flag.value.text, flag.span.line) for flag in command.flags] == [
        ("--a", "1", 3),
        ("--b", None, 4),
    ]
    assert [(note.code, note.span.line) for note in found.notes] == [("crlf-continuation", 2)]


def test_a_byte_order_mark_is_no_column() -> None:
    (command,) = read("a.sh", b"\xef\xbb\xbf" + LINE).commands
    assert command.program_span.column == 1


def test_what_is_not_utf_8_is_read_as_latin_1_with_a_note() -> None:
    found = read("a.sh", b"# ok\natc --a=\xe9\n")
    assert found.commands[0].flags[0].value.text == "é"
    assert [(note.code, note.span.line) for note in found.notes] == [("encoding", 2)]


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"atc \0", "not-text"), (LINE * 70_000, "size-limit")],
)
def test_what_is_no_text_or_too_large_is_incomplete(data: bytes, code: str) -> None:
    found = read("a.sh", data)
    assert (found.commands, found.incomplete) == ((), True)
    assert [note.code for note in found.notes] == [code]


def test_nothing_is_read_from_a_conflict_marker_on() -> None:
    found = read("a.sh", LINE + b"<<<<<<< HEAD\natc --a\n=======\natc --b\n>>>>>>> x\n")
    assert (len(found.commands), found.incomplete) == (1, True)
    assert [(note.code, note.span.line) for note in found.notes] == [("conflict-markers", 2)]


def test_the_end_of_a_conflict_that_was_left_behind_counts_too() -> None:
    found = read("a.sh", LINE + b"=======\natc --b\n>>>>>>> x\n")
    assert [(note.code, note.span.line) for note in found.notes] == [("conflict-markers", 2)]
    assert read("a.sh", b"cat <<E\n=======\nE\n" + LINE).notes == ()


def test_scripts_of_another_language_are_noted_once() -> None:
    found = read("a.ps1", b"atc --a\r\natc --b\r\n")
    assert [(note.code, note.span.line) for note in found.notes] == [("unsupported-file", 1)]
    assert read("a.ps1", b"nothing\n").notes == ()


def test_a_guardrail_file_can_watch_programs_and_variables_of_its_own() -> None:
    tool = Program(name="mycc", dialect=GFLAGS, names=("mycc", "mycc-*"))
    watch = WATCH.extended((tool,), frozenset({"MYCC_FLAGS"}))
    found = read("a.sh", b"mycc-12 --a-b=1\nMYCC_FLAGS=--c\n", watch=watch)
    assert [(item.program, item.flags[0].name) for item in found.commands] == [("mycc", "--a_b")]
    assert [item.name for item in found.env] == ["MYCC_FLAGS"]
    assert read("a.sh", b"mycc --a\n").commands == ()


def test_stray_flag_lines_are_noted() -> None:
    found = read("a.sh", b"atc --a\n  --b \\\n  --c\n")
    assert [(note.code, note.span.line) for note in found.notes] == [("stray-flag-line", 2)]
    assert [flag.name for flag in found.commands[0].flags] == ["--a"]
