"""The seam to the file system below one root: whole files, replaced in one step, never through a link."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from perfgate.config.discover import Unreadable, path_bytes, read_bytes
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILE = 64 << 20  # bytes of a file that a plan touches
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FORBIDDEN = frozenset({".git"})  # as any part of a path


class Disk(Protocol):
    """What applying and rolling back do to files; paths are relative to the root, with slashes."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None when nothing is there.

        Raises:
            UsageError: it is something else, or reached through a link.
        """

    def mode(self, path: str) -> int:
        """The permission bits of a file."""

    def write(self, path: str, data: bytes, mode: int) -> None:
        """Write a file and make sure that it is on the disk; folders are made as needed."""

    def replace(self, source: str, target: str) -> None:
        """Put a file in the place of another one, in one step."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder if it is empty; what is not there stays so."""


def check_path(path: str) -> None:
    """A path of a plan names a file below the root, and none of git's.

    Raises:
        UsageError: it does not.
    """
    parts = path.split("/")
    is_outside = path.startswith("/") or "\\" in path or "\0" in path or not path.isprintable()
    if is_outside or any(part in {"", ".", ".."} or part.lower() in _FORBIDDEN for part in parts):
        raise UsageError("a plan cannot change this path", repr(path), "plans stay inside the repository")


class RealDisk:
    """Files below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None when nothing is there.

        Raises:
            UsageError: it is something else, too large, or reached through a link.
        """
        check_path(path)
        found = read_bytes(self._root, path, size_limit=MAX_FILE)
        if not isinstance(found, Unreadable):
            if len(found) > MAX_FILE:
                raise UsageError("the file is too large for a plan", path, f"it has over {MAX_FILE} bytes")
            return found
        if not os.path.lexists(os.path.join(os.fsencode(self._root), path_bytes(path))):  # noqa: PTH118 - bytes
            return None
        raise UsageError(f"cannot be read, {found.reason}", path, "plans change regular files only")

    def mode(self, path: str) -> int:
        """The permission bits of a file."""
        with self._folder(path) as (folder, name):
            return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)

    def write(self, path: str, data: bytes, mode: int) -> None:
        """Write a file and make sure that it is on the disk; folders are made as needed.

        Raises:
            OSError: it cannot be written.
        """
        with self._folder(path, make=True) as (folder, name):
            with suppress(FileNotFoundError):
                os.unlink(
                    name, dir_fd=folder
                )  # left by a run that was killed, perhaps without write permission
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            descriptor = os.open(name, flags, 0o600, dir_fd=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            os.fsync(folder)

    def replace(self, source: str, target: str) -> None:
        """Put a file in the place of another one, in one step.

        Raises:
            OSError: it cannot be done.
        """
        with self._folder(source) as (before, old), self._folder(target) as (after, new):
            os.replace(old, new, src_dir_fd=before, dst_dir_fd=after)
            os.fsync(after)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder if it is empty; what is not there, or not empty, stays.

        Raises:
            OSError: it cannot be removed.
        """
        try:
            with self._folder(path) as (folder, name):
                is_folder = stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
                if is_folder:
                    os.rmdir(name, dir_fd=folder)
                else:
                    os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError as problem:
            if problem.errno != errno.ENOTEMPTY:
                raise

    @contextmanager
    def _folder(self, path: str, *, make: bool = False) -> Iterator[tuple[int, bytes]]:
        """The open folder of a path and the name in it; no link is followed on the way."""
        check_path(path)
        *parents, name = path_bytes(path).split(b"/")
        folder = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in parents:
                if make:
                    _make(part, folder)
                inner = os.open(part, _OPEN, dir_fd=folder)
                os.close(folder)
                folder = inner
            yield folder, name
        finally:
            os.close(folder)


def _make(name: bytes, folder: int) -> None:
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        return
