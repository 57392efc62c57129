"""The working tree under judgement: which files it has, and their bytes, never from outside it."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from perfgate.baseline.trusted import MAX_FILE, POINTER, POINTER_REMEDY
from perfgate.config.discover import (
    Unreadable,
    irregular_files,
    listed_files,
    path_bytes,
    path_text,
    read_bytes,
)
from perfgate.core.errors import UnusableError, UsageError

if TYPE_CHECKING:
    from git import Repo

    from perfgate.core.errors import PerfgateError

MAX_BYTES = 2 << 30  # what protobuf can hold, and so the largest model
_NOT_SEARCHED = frozenset(
    {".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox", ".perfgate"}
)
_ROOT_MARKS = (".git", "perfgate.yaml", "guardrails.yaml")


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds a repository, a policy or guardrails.

    Else `start`.
    """
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return folder
    return start


class Tree(Protocol):
    """Files to measure below a root: those of the working tree, or of a commit."""

    @property
    def root(self) -> Path:
        """The folder where device descriptions are looked for."""

    @property
    def files(self) -> tuple[str, ...]:
        """Paths relative to the root, in order."""

    @property
    def gate_files(self) -> tuple[str, ...]:
        """`files` with links and submodules as well: a suite that is one is refused, not overlooked."""

    def read(self, path: str, *, what: str = "file", named_at: str = "", most: int = MAX_BYTES) -> bytes:
        """The bytes of a file, at most `most` of them.

        Raises:
            UsageError: it is missing, or no regular file.
        """

    def read_gate_file(self, path: str, *, what: str, error: type[PerfgateError] = UnusableError) -> bytes:
        """The bytes of a file that judges: plain, of mode 100644, at most 1 MiB.

        Raises:
            PerfgateError: of the given class: it is not.
        """

    def holds_tracked_files(self, folder: Path) -> bool:
        """Whether git tracks a file below a folder of the repository; never outside of it."""


class WorkTree:
    """Files below one root. `repository` is None outside git; then every regular file counts."""

    def __init__(self, root: Path, repository: Repo | None) -> None:
        self.root = root.resolve()
        self.repository = repository

    @property
    def prefix(self) -> str:
        """Path of the root inside the git repository, empty at its top."""
        if self.repository is None or self.repository.working_tree_dir is None:
            return ""
        top = Path(self.repository.working_tree_dir).resolve()
        relative = self.root.relative_to(top).as_posix()
        return "" if relative == "." else relative

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Tracked files and untracked ones that are not ignored, relative to the root, in order.

        Listed once: what is judged is the tree as the command found it.
        """
        if self._listed is None:
            return tuple(sorted(self._walk()))
        return tuple(
            path
            for path in self._listed
            if os.path.isfile(self._on_disk(path)) and not self._is_link(path)  # noqa: PTH113 - bytes
        )

    @cached_property
    def _listed(self) -> tuple[str, ...] | None:
        return None if self.repository is None else listed_files(self.root)

    @cached_property
    def _irregular(self) -> dict[str, str]:
        if self._listed is None:
            return {}
        new_links = {path: "a symlink" for path in self._listed if self._is_link(path)}
        return irregular_files(self.root) | new_links

    def _is_link(self, path: str) -> bool:
        return os.path.islink(self._on_disk(path))  # noqa: PTH114 - bytes

    @cached_property
    def gate_files(self) -> tuple[str, ...]:
        """`files` with links and submodules as well: a suite that is one is refused, not overlooked."""
        return tuple(sorted({*self.files, *self._irregular}))

    def read_gate_file(self, path: str, *, what: str, error: type[PerfgateError] = UnusableError) -> bytes:
        """A file that judges, or that will: it has to keep the rules of those of the base commit.

        Otherwise a change could bring in a file that stops everybody else's gate once it is merged.

        Raises:
            PerfgateError: of the given class: the file is missing, tracked as a link, submodule or
                executable, reached through a link, a Git LFS pointer, or more than 1 MiB.
        """
        if path in self._irregular:
            remedy = "commit it as a plain file of mode 100644"
            raise error(f"the {what} is {self._irregular[path]}", path, remedy)
        try:
            data = self.read(path, what=what, most=MAX_FILE + 1)
        except UsageError as problem:
            raise error(problem.what, problem.where, problem.remedy) from None
        if len(data) > MAX_FILE:
            raise error(f"the {what} has too many bytes", path, f"keep it under {MAX_FILE:,} bytes")
        if data.startswith(POINTER):
            raise error(f"the {what} is a Git LFS pointer", path, POINTER_REMEDY)
        return data

    def read(self, path: str, *, what: str = "file", named_at: str = "", most: int = MAX_BYTES) -> bytes:
        """The bytes of a file of the tree; `what` and `named_at` tell errors what it is and who named it.

        At most `most` bytes are read. No symbolic link is followed, so nothing outside the tree is read.

        Raises:
            UsageError: it is missing, no regular file, or reached through a symbolic link.
        """
        found = read_bytes(self.root, path, size_limit=most - 1)
        if isinstance(found, Unreadable):
            where = f"{path} (named at {named_at})" if named_at else path
            if not os.path.exists(self._on_disk(path)):  # noqa: PTH110 - bytes
                raise UsageError(f"the {what} is missing", where, "correct the path, or add the file")
            remedy = "name a plain file inside the repository that can be read"
            raise UsageError(f"the {what} cannot be read, {found.reason}", where, remedy)
        return found

    def holds_tracked_files(self, folder: Path) -> bool:
        """Whether git tracks a file below a folder of the repository; never outside of it."""
        return self.repository is not None and holds_tracked_files(self.repository, folder)

    def _on_disk(self, path: str) -> bytes:
        return os.path.join(os.fsencode(self.root), path_bytes(path))  # noqa: PTH118 - bytes

    def _walk(self) -> list[str]:
        root = os.fsencode(self.root)
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if path_text(name) not in _NOT_SEARCHED]
            paths = [os.path.join(folder, name) for name in names]  # noqa: PTH118 - bytes
            found += [
                path_text(os.path.relpath(path, root))
                for path in paths
                if not os.path.islink(path)  # noqa: PTH114 - bytes
            ]
        return found


def holds_tracked_files(repository: Repo, folder: Path) -> bool:
    """Whether git tracks a file below a folder; a folder outside of the repository holds none."""
    top, inner = Path(repository.working_dir).resolve(), folder.resolve()
    return inner.is_relative_to(top) and bool(repository.git.ls_files("--", str(inner)))
