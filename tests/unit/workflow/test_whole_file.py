"""Files that appear whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UsageError
from perfgate.workflow.whole_file import write_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
