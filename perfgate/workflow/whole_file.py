"""Files that appear whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_text_file(path: Path, text: str) -> None:
    """Write text as UTF-8, its line ends as they are.

    Raises:
        UsageError: it cannot be written.
    """
    write_file(path, text.encode("utf-8"))


def write_file(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all; folders are made as needed.

    Raises:
        UsageError: it cannot be written.
    """
    write_pieces(path, (data,))


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """The same for a file that is too large to be held at once.

    Raises:
        UsageError: it cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.writelines(pieces)
        unfinished.replace(path)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be written, {reason}", str(path), "name a writable place") from None
    finally:
        with suppress(OSError):  # there is none after success; else a full disk gets its room back
            unfinished.unlink()
