"""What one launch of a command reports: what it printed, and files that it wrote."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, Self

from perfgate.backends.readings import ReadingError

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.backends.launch import Reading
    from perfgate.backends.process import Finished

KEPT_BYTES = 64 << 20  # of a stream or a file; reports with every sample of a long run are large


class LaunchReports:
    """The files that readings name: only what the launch wrote counts; what it left anew is removed again."""

    def __init__(self, folder: Path, readings: tuple[Reading, ...]) -> None:
        self._paths = {reading.file: folder / reading.file for reading in readings if reading.file}
        self._old: set[Path] = set()

    def __enter__(self) -> Self:
        for path in self._paths.values():
            with contextlib.suppress(OSError):
                # An old time is the mark by which a file that the launch did not write is known.
                os.utime(path, ns=(0, 0), follow_symlinks=False)
                self._old.add(path)
        return self

    def __exit__(self, *_: object) -> None:
        for path in self._paths.values():
            if path not in self._old:
                with contextlib.suppress(OSError):
                    path.unlink()

    def texts(self, reading: Reading, done: Finished) -> tuple[str, ...]:
        """Where the values may stand: the file, else standard output and then standard error.

        Raises:
            ReadingError: the file was not written, is no regular file of the repository, or too much was
                printed to keep.
        """
        if not reading.file:
            if done.is_cut:
                raise ReadingError(f"it prints more than {KEPT_BYTES >> 20} MiB")
            streams = (done.stdout, done.stderr) if reading.regex else (done.stdout,)
            return tuple(stream.decode("utf-8", errors="replace") for stream in streams)
        path = self._paths[reading.file]
        try:
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode):
                raise ReadingError(f"{reading.file!r} is no regular file")
            if found.st_mtime_ns == 0:
                raise ReadingError(f"it did not write {reading.file!r}")
            if found.st_size > KEPT_BYTES:
                raise ReadingError(f"{reading.file!r} has more than {KEPT_BYTES >> 20} MiB")
            return (path.read_text(encoding="utf-8", errors="replace"),)
        except OSError as problem:
            reason = (problem.strerror or type(problem).__name__).lower()
            raise ReadingError(f"{reading.file!r} cannot be read, {reason}") from None
