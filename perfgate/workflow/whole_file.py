"""Files that appear whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
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
    unfinished = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be written, {reason}", str(path), "name a writable place") from None
