"""The benchmark's own files from one commit, placed over every commit that is measured.

The ruler must not change while commits are compared: suite files and device descriptions come from the bad
end, as do lock files unless each commit's own are wanted. Product code, compile scripts and runtime
configurations are what is under test and always the commit's own.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from perfgate.measure.runner import DEVICE_FOLDER
from perfgate.measure.suite import is_suite_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perfgate.bisection.gitrun import Git

LOCK_FILES = (
    *("requirements.txt", "constraints.txt", "uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"),
    *("Pipfile.lock", "conda-lock.yml", "package-lock.json", "Cargo.lock"),
)
_PLAIN = b"100644"
_EXECUTABLE = b"100755"


class OverlayFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to place: its path, its bytes, whether it may be executed."""

    path: str
    data: bytes
    is_executable: bool = False


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """What is placed over a checkout. `former`: older names of files that the benchmark reads, newest first.

    `replaces_suites`: suite files of the checkout that are not among `files` are removed, since the same
    benchmark under a former file name would be defined twice.
    """

    files: tuple[OverlayFile, ...] = ()
    former: dict[str, tuple[str, ...]] = {}
    replaces_suites: bool = False

    @property
    def digest(self) -> str:
        """Of all it does, in hex: two people can compare."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()

    def place(self, folder: Path) -> None:
        """Write the files into a checkout; a link that leads out of it is replaced, never followed.

        Raises:
            OSError: they cannot be written.
        """
        if self.replaces_suites:
            kept = {item.path for item in self.files}
            for path in _suites_of(folder):
                if path.relative_to(folder).as_posix() not in kept:
                    path.unlink()
        for name, older in self.former.items():
            _place_former(folder, name, older)
        for item in self.files:
            _write(folder, item)


def read_overlay(git: Git, commit: str, *, with_locks: bool, without: Sequence[str] = ()) -> Overlay:
    """The overlay out of a commit; paths below one of `without` stay the commit's own.

    Raises:
        GitError: git cannot read the commit.
    """
    excluded = [PurePosixPath(item) for item in without]
    files = []
    for mode, path in _listed(git, commit):
        pure = PurePosixPath(path)
        is_ruler = is_suite_file(pure.name) or pure.parts[0] == DEVICE_FOLDER
        is_lock = with_locks and is_lock_file(path)
        if not (is_ruler or is_lock) or any(pure.is_relative_to(item) for item in excluded):
            continue
        data = git.run("cat-file", "blob", f"{commit}:{path}")
        files.append(OverlayFile(path=path, data=data, is_executable=mode == _EXECUTABLE))
    return Overlay(files=tuple(files), replaces_suites=not excluded)


def is_lock_file(path: str) -> bool:
    """Whether a file pins dependencies."""
    return PurePosixPath(path).name in LOCK_FILES


def former_names(git: Git, ends: tuple[str, str], path: str) -> tuple[str, ...]:
    """Older names that a file of the bad end had within the range, newest first.

    Raises:
        GitError: git cannot follow it.
    """
    options = ("--follow", "-M", "--diff-filter=R", "--name-status", "--format=", "-z", "-m")
    printed = git.run("log", *options, f"{ends[0]}..{ends[1]}", "--", path)
    words = [os.fsdecode(word) for word in printed.split(b"\0") if word]
    triples = [words[index : index + 3] for index in range(0, len(words), 3)]  # R<similarity>, old, new
    return tuple(name for name in dict.fromkeys(row[1] for row in triples if len(row) > 1) if name != path)


def submodules(git: Git, commit: str) -> tuple[str, ...]:
    """Paths of the submodules of a commit, which stay empty in a checkout."""
    return tuple(path for mode, path in _listed(git, commit, with_links=True) if mode == b"160000")


def _listed(git: Git, commit: str, *, with_links: bool = False) -> list[tuple[bytes, str]]:
    found = []
    for row in git.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        mode = row[:6]
        if mode in {_PLAIN, _EXECUTABLE} or (with_links and mode == b"160000"):
            found.append((mode, os.fsdecode(row.partition(b"\t")[2])))
    return found


def _suites_of(folder: Path) -> list[Path]:
    found = []
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        found += [folder.__class__(base) / name for name in names if is_suite_file(name)]
    return found


def _place_former(folder: Path, name: str, older: Sequence[str]) -> None:
    """The commit's own file under the name that the suite of the bad end uses."""
    if (folder / name).exists():
        return
    for other in older:
        source = folder / other
        if source.is_file() and not _leads_out(folder, other):
            _write(
                folder,
                OverlayFile(path=name, data=source.read_bytes(), is_executable=os.access(source, os.X_OK)),
            )
            return


def _leads_out(folder: Path, path: str) -> bool:
    return not (folder / path).resolve().is_relative_to(folder.resolve())


def _write(folder: Path, item: OverlayFile) -> None:
    target = folder
    *parents, name = PurePosixPath(item.path).parts
    for part in parents:
        target /= part
        if target.is_symlink() or target.is_file():
            target.unlink()
        target.mkdir(exist_ok=True)
    target /= name
    if target.is_symlink() or target.is_file():
        target.unlink()
    target.write_bytes(item.data)
    target.chmod(0o755 if item.is_executable else 0o644)
