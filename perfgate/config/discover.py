"""Which files of a repository are looked at, and how one is opened: regular files inside its root only."""

from __future__ import annotations

import os
import stat
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_REGULAR_MODES = frozenset({"100644", "100755"})
_FORMS = {"120000": "a symlink", "160000": "a submodule", "100755": "an executable file"}
_GIT_TIMEOUT = 60.0  # seconds; listing the largest known trees takes under ten


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file that is listed but cannot be read, and why."""

    path: str
    reason: str


def listed_files(root: Path) -> tuple[str, ...] | None:
    """Tracked files, and untracked ones that git does not ignore; None outside of a repository.

    Paths are relative to `root` with slashes, sorted. Symbolic links and submodules are left out.

    Raises:
        UsageError: git is missing or fails.
    """
    tracked = _git(root, "ls-files", "-s", "-z", "--", ".")
    if tracked is None:
        return None
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", ".") or b""
    names = {_name(record) for record in tracked.split(b"\0") if _is_regular(record)}
    names.update(path_text(name) for name in untracked.split(b"\0") if name)
    return tuple(sorted(names))


def irregular_files(root: Path) -> dict[str, str]:
    """Tracked paths that are no plain file of mode 100644, each with what git holds instead.

    Raises:
        UsageError: git is missing or fails.
    """
    tracked = _git(root, "ls-files", "-s", "-z", "--", ".") or b""
    return {
        _name(record): _FORMS[_mode(record)] for record in tracked.split(b"\0") if _mode(record) in _FORMS
    }


def _mode(record: bytes) -> str:
    return record[:6].decode("ascii", "replace")


def _is_regular(record: bytes) -> bool:
    return _mode(record) in _REGULAR_MODES


def _name(record: bytes) -> str:
    return path_text(record.partition(b"\t")[2])


def path_text(path: bytes) -> str:
    """A path as git stores it, as text: UTF-8 whatever the locale says, other bytes as lone surrogates."""
    return path.decode("utf-8", "surrogateescape")


def path_bytes(path: str) -> bytes:
    """The bytes that name the file on disk; an ASCII-only locale could not encode the text.

    A lone surrogate that stands for no byte, which only a file's text can hold, becomes a question mark.
    """
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "replace")


def _git(root: Path, *arguments: str) -> bytes | None:
    command = ["git", "-C", str(root), "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", *arguments]
    try:
        # No shell, a fixed program, and arguments that are no options: `root` follows -C.
        done = subprocess.run(  # noqa: S603 - see above
            command, capture_output=True, check=False, timeout=_GIT_TIMEOUT, env=_environment()
        )
    except FileNotFoundError as error:
        raise UsageError("git is not installed", str(root), "install git, or name the files") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError("git does not answer", str(root), "name the files to check") from error
    if done.returncode == 0:
        return done.stdout
    message = done.stderr.decode("utf-8", "replace").strip()
    if "not a git repository" in message:
        return None
    lines = message.splitlines()
    raise UsageError("git cannot list the files", str(root), lines[-1] if lines else "run git ls-files")


def _environment() -> dict[str, str]:
    """The environment without the variables that point git at another repository, in English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def read_bytes(root: Path, path: str, *, size_limit: int) -> bytes | Unreadable:
    """The bytes of a regular file below `root`, at most `size_limit` + 1 of them.

    No symbolic link is followed, neither as the file nor as a folder on the way to it.
    """
    parts = path_bytes(path).split(b"/")
    if path.startswith("/") or b".." in parts or b"" in parts or "\0" in path:
        return Unreadable(path=path, reason="outside of the repository")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    folder = -1
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in parts[:-1]:
            inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _read_regular(parts[-1], path, folder, size_limit)
    except OSError as error:
        return Unreadable(path=path, reason=(error.strerror or "cannot be opened").lower())
    finally:
        if folder >= 0:
            os.close(folder)


def _read_regular(name: bytes, path: str, folder: int, size_limit: int) -> bytes | Unreadable:
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Unreadable(path=path, reason="no regular file")
        return file.read(size_limit + 1)
