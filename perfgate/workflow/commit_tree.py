"""The files of a commit as a tree to measure, read from git's objects; the working tree is not touched."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import UnusableError, UsageError
from perfgate.measure.runner import DEVICE_FOLDER
from perfgate.workflow.worktree import MAX_BYTES, holds_tracked_files

if TYPE_CHECKING:
    from pathlib import Path

    from git import Repo

    from perfgate.core.errors import PerfgateError

_REGULAR = frozenset({0o100644, 0o100755})
_LFS = b"version https://git-lfs.github.com/spec/"


class CommitTree:
    """Files of one commit below `prefix`. `root` is an empty folder of the caller's.

    Device descriptions are written there, because they are looked for on disk.
    """

    def __init__(self, repository: Repo, commit: str, prefix: str, root: Path) -> None:
        self._repository = repository
        self._trusted = TrustedTree(repository, commit, prefix)
        self._tree = repository.commit(commit).tree
        self._prefix = prefix
        self._place = commit[:7]
        self.root = root
        for path in self.files:
            if path.startswith(f"{DEVICE_FOLDER}/"):
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self.read(path, what="device description"))

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Regular files of the commit, relative to the prefix, in order."""
        start = f"{self._prefix}/" if self._prefix else ""
        found = (item for item in self._tree.traverse() if getattr(item, "type", "") == "blob")
        paths = (str(item.path) for item in found if item.mode in _REGULAR)  # type: ignore[union-attr]  # blobs only
        return tuple(sorted(path.removeprefix(start) for path in paths if path.startswith(start)))

    @cached_property
    def gate_files(self) -> tuple[str, ...]:
        """Everything that the commit holds, links and submodules as well."""
        return tuple(sorted(self._trusted.paths))

    def read_gate_file(self, path: str, *, what: str, error: type[PerfgateError] = UnusableError) -> bytes:
        """A file that judges, by the rules of those of the base commit.

        Raises:
            PerfgateError: of the given class: it is missing, no plain file, or too large.
        """
        try:
            data = self._trusted.read(path)
        except UnusableError as problem:
            raise error(problem.what, problem.where, problem.remedy) from None
        if data is None:
            raise error(f"the {what} is missing", f"{path}@{self._place}", "name a commit that holds it")
        return data

    def holds_tracked_files(self, folder: Path) -> bool:
        """Whether git tracks a file below a folder of the repository; never outside of it."""
        return holds_tracked_files(self._repository, folder)

    def read(self, path: str, *, what: str = "file", named_at: str = "", most: int = MAX_BYTES) -> bytes:
        """The bytes of a file, at most `most` of them; `what` and `named_at` tell errors what it is.

        Raises:
            UsageError: the commit has no such file, or it is a link, a submodule or a Git LFS pointer.
        """
        place = f"{path}@{self._place}"
        where = f"{place} (named at {named_at})" if named_at else place
        blob = self._blob(path)
        if blob is None:
            raise UsageError(f"the {what} is missing", where, "name a commit that holds it")
        if blob.type != "blob" or blob.mode not in _REGULAR:
            raise UsageError(f"the {what} is no regular file", where, "name a commit in which it is one")
        data = bytes(blob.data_stream.read())
        if data.startswith(_LFS):
            remedy = "check the commit out, where Git LFS fetches it, and record there"
            raise UsageError(f"the {what} is a Git LFS pointer", where, remedy)
        return data[:most]

    def _blob(self, path: str) -> Any:  # noqa: ANN401 - a git object, or None
        try:
            return self._tree[f"{self._prefix}/{path}" if self._prefix else path]
        except KeyError:
            return None
