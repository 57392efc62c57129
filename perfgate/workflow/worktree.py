"""The working tree under judgement: which files it has, and their bytes, never from outside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from git import Repo

MAX_MODEL_BYTES = 2 << 30
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

    def files(self) -> tuple[str, ...]:
        """Tracked files and untracked ones that are not ignored, relative to the root, in order."""
        if self.repository is None:
            return tuple(sorted(self._walk()))
        listed = self.repository.git(c="core.quotePath=false").ls_files(
            "-z", "--cached", "--others", "--exclude-standard", "--", str(self.root)
        )
        prefix = f"{self.prefix}/" if self.prefix else ""
        paths = {path.removeprefix(prefix) for path in listed.split("\0") if path}
        return tuple(sorted(path for path in paths if (self.root / path).is_file()))

    def read(self, path: str, *, what: str = "file", named_at: str = "", most: int = -1) -> bytes:
        """The bytes of a file of the tree; `what` and `named_at` tell errors what it is and who named it.

        At most `most` bytes are read, all without it.

        Raises:
            UsageError: it is missing, no regular file, or reached through a symlink out of the tree.
        """
        where = f"{path} (named at {named_at})" if named_at else path
        full = self.root / PurePosixPath(path)
        try:
            if not full.resolve().is_relative_to(self.root):
                raise UsageError(f"the {what} lies outside the repository", where, "name a file inside it")
            if not stat.S_ISREG(full.stat().st_mode):
                raise UsageError(f"the {what} is no regular file", where, "name a plain file")
            with full.open("rb") as file:
                return file.read(most)
        except FileNotFoundError:
            raise UsageError(f"the {what} is missing", where, "correct the path, or add the file") from None
        except OSError as problem:
            reason = problem.strerror or type(problem).__name__
            raise UsageError(
                f"the {what} cannot be read, {reason.lower()}", where, "make it readable"
            ) from None

    def _walk(self) -> list[str]:
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in _NOT_SEARCHED]
            base = Path(folder).relative_to(self.root)
            found += [(base / name).as_posix() for name in names if not (Path(folder) / name).is_symlink()]
        return found
