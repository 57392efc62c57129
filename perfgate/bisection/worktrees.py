"""Detached worktrees of the mirror in which commits are built: made once, used again, removed at the end.

Everything of one process lies below one folder, beside a file that says whose it is, so that a later run can
tell what a dead one left. Git is told where the repository is and never asks the worktree's own `.git`, which
a build may have changed.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Protocol

from perfgate.bisection.gitrun import COPY_TIMEOUT, Git, GitError
from perfgate.bisection.mirror import private_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfgate.bisection.mirror import Mirror
    from perfgate.bisection.owner import Owner

OWNER_SUFFIX = ".owner"
_WRITABLE = 0o700


class Filling(Protocol):
    """What a checkout of git leaves out: submodules, large files."""

    def fill(self, tree: Path, commit: str) -> None:
        """Place it into the checkout of a commit; a `GitError` says why it cannot be had."""


class Worktrees:
    """The worktrees of one process; `fillings` go into every checkout."""

    def __init__(self, mirror: Mirror, owner: Owner, fillings: tuple[Filling, ...] = ()) -> None:
        self._mirror = mirror
        self._fillings = fillings
        self._owner = owner
        self._base = trees_folder(mirror)
        self.folder = self._base / owner.token
        self._made: set[int] = set()

    def open(self) -> None:
        """Say whose folder it is, then make it: there is never one without an owner."""
        private_folder(self._base)
        unfinished = self._base / f"{self._owner.token}.part"
        unfinished.write_text(str(self._owner), encoding="utf-8")
        unfinished.rename(self._base / f"{self._owner.token}{OWNER_SUFFIX}")
        for folder in (self.folder, self.home, self.temporary):
            private_folder(folder)

    @property
    def home(self) -> Path:
        """An empty home folder for what is built and launched."""
        return self.folder / "home"

    @property
    def temporary(self) -> Path:
        """Where children put temporary files."""
        return self.folder / "tmp"

    def check_out(self, number: int, commit: str) -> Path:
        """The worktree with exactly the files of the commit, whatever a build has left there.

        Raises:
            GitError: git cannot write them, also because the disk is full.
        """
        if number in self._made:
            git = self._git(number)
            git.run("checkout", "--quiet", "--detach", "--force", commit, timeout=COPY_TIMEOUT)
            git.run("reset", "--quiet", "--hard", timeout=COPY_TIMEOUT)
            git.run("clean", "-ffdxq", timeout=COPY_TIMEOUT)
            return self.path(number)
        options = ("--quiet", "--detach", "--lock", "--reason", str(self._owner))
        self._mirror.git.run(
            "worktree", "add", *options, str(self.path(number)), commit, timeout=COPY_TIMEOUT
        )
        self._made.add(number)
        return self.path(number)

    def fill(self, number: int, commit: str) -> None:
        """What git's checkout of the commit has left out.

        Raises:
            GitError: it cannot be had.
        """
        for filling in self._fillings:
            filling.fill(self.path(number), commit)

    def drop(self, number: int) -> None:
        """Remove one worktree and its entry, such as a damaged one."""
        self._made.discard(number)
        remove_folder(self.path(number))
        remove_folder(self._mirror.repository / "worktrees" / self.path(number).name)

    def close(self) -> None:
        """Remove everything of this process."""
        remove_owned(self._mirror, self._owner.token)

    def path(self, number: int) -> Path:
        """Where a worktree lies."""
        return self.folder / f"{self._owner.token}-{number}"

    def _git(self, number: int) -> Git:
        path = self.path(number)
        entry = self._mirror.repository / "worktrees" / path.name
        if not path.is_dir():
            raise GitError("the worktree is gone", str(path), "run it again with --resume")
        return Git(folder=path, environment=self._mirror.git.environment, git_dir=entry)


def trees_folder(mirror: Mirror) -> Path:
    """Where the worktrees of all processes lie."""
    return mirror.folder / "trees"


def remove_owned(mirror: Mirror, token: str) -> None:
    """Remove the folder of a process, git's entries for its worktrees, and last the file that names it."""
    base = trees_folder(mirror)
    remove_folder(base / token)
    entries = mirror.repository / "worktrees"
    for entry in sorted(entries.glob(f"{token}-*")):
        remove_folder(entry)
    (base / f"{token}{OWNER_SUFFIX}").unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    """Remove a folder with all it holds, also what a build has made read-only; links are not followed."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path, onerror=_once_more)  # type: ignore[deprecated, unused-ignore]  # `onexc` is 3.12's


def _once_more(function: Callable[..., object], path: str, _problem: object) -> None:
    """Give ourselves the right to remove, and try again; what is gone by now is fine."""
    try:
        os.chmod(os.path.dirname(path), _WRITABLE)  # noqa: PTH101, PTH120 - shutil hands texts on
        if not os.path.islink(path):  # noqa: PTH114 - the same
            os.chmod(path, _WRITABLE)  # noqa: PTH101 - the same
        if function is os.rmdir or function is os.unlink:
            function(path)
        else:
            shutil.rmtree(path)
    except FileNotFoundError:
        return
