from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.journal import Header, Journal, Line, resume_journal, start_journal
from perfgate.bisection.probe import Launch, Outcome, Probe, ProbeOutcome, Progress, Purpose
from perfgate.core.errors import UnusableError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header(id="7c1d", meaning={"good": "a", "setup": ""}, built=("a",))


def line(commit: str) -> Line:
    progress = Progress(left=1, bad_chance=0.5, builds=1, samples=2)
    wanted = Probe(commit=commit, samples=2, purpose=Purpose.SEARCH, progress=progress)
    launch = Launch(samples=(1.5, 2.5), seconds=0.1)
    return Line(wanted=wanted, outcome=ProbeOutcome(commit=commit, outcome=Outcome.MEASURED, launch=launch))


def written(path: Path) -> Journal:
    journal = start_journal(path, HEADER)
    journal.append(line("a"))
    journal.append(line("b"))
    journal.close()
    return journal


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "j.jsonl"
    written(path)
    again = resume_journal(path, HEADER)
    assert again.lines == (line("a"), line("b"))
    assert again.header.built == ("a",)
    again.append(line("c"))
    again.close()
    assert len(path.read_bytes().splitlines()) == 4


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_torn_last_line_is_dropped_and_written_over(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j.jsonl"
    written(path)
    path.write_bytes(path.read_bytes()[:-cut])
    journal = resume_journal(path, HEADER)
    assert journal.lines == (line("a"),)
    assert journal.was_torn
    journal.append(line("c"))
    journal.close()
    assert resume_journal(path, HEADER).lines == (line("a"), line("c"))


def test_a_damaged_line_before_the_last_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    written(path)
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(rows[0] + b'{"wanted": 1}\n' + rows[2])
    with pytest.raises(UnusableError, match=r"j\.jsonl:2"):
        resume_journal(path, HEADER)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"not json\n", b'{"schema": "x/9", "id": "a", "meaning": {}}\n']
)
def test_a_file_that_is_no_journal_is_unusable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnusableError):
        resume_journal(path, HEADER)


def test_other_arguments_are_refused_with_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    written(path)
    other = Header(id="7c1d", meaning={"good": "a", "setup": "make", "paths": "lib"})
    with pytest.raises(UsageError, match='paths was "", is "lib", setup was "", is "make"'):
        resume_journal(path, other)


def test_nothing_to_resume_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to resume"):
        resume_journal(tmp_path / "absent.jsonl", HEADER)


def test_a_full_disk_loses_no_line_that_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk takes part of a line and refuses the rest: the part is taken back."""
    import os  # noqa: PLC0415 - only here

    path = tmp_path / "j.jsonl"
    journal = start_journal(path, HEADER)
    journal.append(line("a"))
    write = os.write
    calls: list[int] = []

    def full(handle: int, data: bytes) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return write(handle, data[:10])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UsageError, match="no space left on device"):
        journal.append(line("b"))
    monkeypatch.undo()
    journal.append(line("c"))
    journal.close()
    assert resume_journal(path, HEADER).lines == (line("a"), line("c"))
