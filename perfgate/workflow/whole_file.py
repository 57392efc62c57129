"""Files that appear whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        if _is_device(path):
            with path.open("wb") as device:
                device.writelines(pieces)
            return
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


def _is_device(path: Path) -> bool:
    """Devices and pipes, also behind the links of `/dev`, are written to.

    A file in their place would break `/dev/null` for the whole machine, where the user may replace it.
    """
    is_other = path.exists() and not path.is_file() and not path.is_dir()
    return is_other or path.absolute().parent == Path("/dev")
