"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UsageError
from perfgate.workflow.whole_file import write_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_pieces_are_one_file_in_new_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    write_pieces(path, iter([b"one ", b"two"]))
    assert path.read_bytes() == b"one two"
    assert list(path.parent.iterdir()) == [path]


def test_a_source_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise LookupError("gone")

    path = tmp_path / "kept.txt"
    path.write_bytes(b"old")
    with pytest.raises(LookupError, match="gone"):
        write_pieces(path, broken())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_is_full_is_one_clear_line(tmp_path: Path) -> None:
    def full() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match="cannot be written, no space left on device"):
        write_pieces(tmp_path / "new.txt", full())
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_pieces(path, [b"one ", b"two"])
        assert os.read(reader, 100) == b"one two"
    finally:
        os.close(reader)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_what_lies_in_dev_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def refuse(self: Path, mode: str) -> object:
        opened.append((str(self), mode))
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match="permission denied: /dev/not-there"):
        write_pieces(Path("/dev/not-there"), [b"x"])
    assert opened == [("/dev/not-there", "wb")]  # neither a file beside it nor another name for it
