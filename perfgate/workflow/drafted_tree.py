"""A working tree with some files as a plan would leave them; the files themselves are not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import PerfgateError, UnusableError
from perfgate.workflow.worktree import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfgate.workflow.worktree import WorkTree


class DraftedTree:
    """The tree, read through the drafts."""

    def __init__(self, tree: WorkTree, drafts: Mapping[str, bytes]) -> None:
        self._tree = tree
        self._drafts = drafts

    @property
    def root(self) -> Path:
        """That of the tree."""
        return self._tree.root

    @property
    def files(self) -> tuple[str, ...]:
        """Those of the tree: a plan makes no new file."""
        return self._tree.files

    @property
    def gate_files(self) -> tuple[str, ...]:
        """Those of the tree."""
        return self._tree.gate_files

    def read(self, path: str, *, what: str = "file", named_at: str = "", most: int = MAX_BYTES) -> bytes:
        """The draft of a file, or the file.

        Raises:
            UsageError: it is missing, or no regular file.
        """
        if path in self._drafts:
            return self._drafts[path][:most]
        return self._tree.read(path, what=what, named_at=named_at, most=most)

    def read_gate_file(self, path: str, *, what: str, error: type[PerfgateError] = UnusableError) -> bytes:
        """The draft of a file that judges, or the file.

        Raises:
            PerfgateError: of the given class: it is not plain.
        """
        if path in self._drafts:
            return self._drafts[path]
        return self._tree.read_gate_file(path, what=what, error=error)

    def holds_tracked_files(self, folder: Path) -> bool:
        """As the tree says."""
        return self._tree.holds_tracked_files(folder)
