"""`perfgate cache prune`: mirrors, samples and journals of bisections that are old or take too much room."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from perfgate.bisection.mirror import bisect_folder, used_mark
from perfgate.bisection.owner import parse_owner
from perfgate.bisection.worktrees import OWNER_SUFFIX, remove_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SINGLE = ("probes", "compiled", "journals")  # folders whose files can go one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What may stay: nothing unused for longer than `seconds`, and at most `size` bytes (None: any)."""

    seconds: float
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What was removed and what is left, in bytes; `busy` mirrors were in use and stayed whole."""

    files: int
    mirrors: int
    freed: int
    left: int
    busy: int


def prune_cache(environment: Mapping[str, str], limit: Limit, now: float) -> Pruned:
    """Remove what is beyond the limit; of mirrors the one that was unused for longest goes first."""
    cache = bisect_folder(environment, Path.home())
    files = mirrors = busy = 0
    folders = sorted((path for path in cache.glob("*") if path.is_dir()), key=_last_use)
    before = sum(map(_size, folders))
    for folder in folders:
        with _held(folder) as is_held:
            if not is_held or _is_alive(folder):
                busy += 1
                continue
            if now - _last_use(folder) > limit.seconds:
                remove_folder(folder)
                mirrors += 1
            else:
                files += _remove_old(folder, now - limit.seconds)
            left = sum(_size(other) for other in folders if other.is_dir())
            if limit.size is not None and left > limit.size and folder.is_dir():
                remove_folder(folder)
                mirrors += 1
    left = sum(_size(folder) for folder in folders if folder.is_dir())
    return Pruned(files=files, mirrors=mirrors, freed=before - left, left=left, busy=busy)


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """The lock of a mirror, if nobody else has it."""
    lock = FileLock(folder.with_suffix(".lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _remove_old(folder: Path, before: float) -> int:
    count = 0
    for name in _SINGLE:
        for path in (folder / name).glob("*.json*"):
            if path.stat().st_mtime < before:
                path.unlink()
                count += 1
    return count


def _last_use(folder: Path) -> float:
    mark = used_mark(folder)
    return (mark if mark.exists() else folder).stat().st_mtime


def _size(folder: Path) -> int:
    """Bytes on disk; a file with several links counts for the share that is ours alone."""
    total = 0
    for path in _files(folder):
        found = path.lstat()
        total += found.st_size // max(1, found.st_nlink)
    return total


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _is_alive(folder: Path) -> bool:
    """A running process has worktrees in it, or one of another machine may."""
    for path in (folder / "trees").glob(f"*{OWNER_SUFFIX}"):
        owner = parse_owner(path.read_text(encoding="utf-8", errors="replace"))
        if owner is not None and not owner.is_dead:
            return True
    return False
