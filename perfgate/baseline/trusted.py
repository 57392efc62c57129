"""Files as they stand in a commit's git objects: what a change cannot edit to let itself pass."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from perfgate.core.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from git import Repo

MAX_FILE = 1 << 20
MAX_TOTAL = 64 << 20
MAX_DEPTH = 32
POINTER = b"version https://git-lfs.github.com/spec/"  # as every Git LFS pointer begins
POINTER_REMEDY = "fetch the content (`lfs: true` in actions/checkout); the gate's own files go without LFS"
_PLAIN_FILE = 0o100644
_FOLDER = 0o040000
_FORMS = {0o120000: "a symlink", 0o160000: "a submodule", 0o100755: "an executable file", _FOLDER: "a folder"}


_REGULAR_FILES = frozenset({0o100644, 0o100755})


class TrustedTree:
    """Reads files of one commit below one folder of the repository; sizes and modes are checked first."""

    def __init__(self, repository: Repo, commit: str, prefix: str) -> None:
        self._repository = repository
        self._tree = repository.commit(commit).tree
        self._prefix = prefix.strip("/")
        self.commit = commit

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All files of the commit below the prefix, relative to it."""
        listed = self._repository.git(c="core.quotePath=false").ls_tree(
            "-r", "-z", "--name-only", self.commit
        )
        prefix = f"{self._prefix}/" if self._prefix else ""
        return tuple(
            path.removeprefix(prefix) for path in listed.split("\0") if path and path.startswith(prefix)
        )

    def read(self, path: str) -> bytes | None:
        """Content of one file, None when the commit has none.

        Raises:
            UnusableError: a symlink, submodule, executable, Git LFS pointer, or more than 1 MiB.
        """
        try:
            blob = self._tree[self._full(path)]
        except KeyError:
            return None
        return self._content(blob, path)

    def read_regular(self, path: str, most: int) -> bytes | None:
        """Content of a file that is judged, not one that judges: it may be executable, as scripts are.

        None when the commit has none, or it is a link, a submodule or larger than `most` bytes.
        """
        try:
            blob = self._tree[self._full(path)]
        except KeyError:
            return None
        if blob.mode not in _REGULAR_FILES or blob.size > most:
            return None
        return bytes(blob.data_stream.read())

    def read_folder(self, folder: str) -> tuple[dict[str, bytes], dict[str, str]]:
        """All files below a folder, and those that may not be used with the reason.

        Raises:
            UnusableError: more than 64 MiB in all, or the folder itself is no folder.
        """
        try:
            tree = self._tree[self._full(folder)]
        except KeyError:
            return {}, {}
        if tree.mode != _FOLDER:
            raise UnusableError(f"{folder!r} is no folder", f"{folder}@{self.commit[:7]}", "make it a folder")
        files: dict[str, bytes] = {}
        refused: dict[str, str] = {}
        total = 0
        for item in _walk(tree, 0):
            path = f"{folder}/{str(item.path).removeprefix(f'{tree.path}/')}"
            try:
                data = self._content(item, path)
            except UnusableError as problem:
                refused[path] = str(problem)
                continue
            total += len(data)
            if total > MAX_TOTAL:
                what = f"more than {MAX_TOTAL >> 20} MiB of baselines"
                raise UnusableError(
                    what, f"{folder}@{self.commit[:7]}", "keep fewer runs, or fewer benchmarks"
                )
            files[path] = data
        return files, refused

    def _full(self, path: str) -> str:
        return f"{self._prefix}/{path}" if self._prefix else path

    def _content(self, blob: Any, path: str) -> bytes:  # noqa: ANN401 - a git object
        where = f"{path}@{self.commit[:7]}"
        if blob.mode != _PLAIN_FILE:
            form = _FORMS.get(blob.mode, f"of mode {blob.mode:o}")
            raise UnusableError(f"the file is {form}", where, "commit it as a plain file of mode 100644")
        if blob.size > MAX_FILE:
            raise UnusableError(
                f"{blob.size:,} bytes are too many", where, f"keep it under {MAX_FILE:,} bytes"
            )
        data = bytes(blob.data_stream.read())
        if data.startswith(POINTER):
            raise UnusableError("the file is a Git LFS pointer", where, POINTER_REMEDY)
        return data


def _walk(tree: Any, depth: int) -> Iterator[Any]:  # noqa: ANN401 - git objects
    """Blobs and submodules below a tree, by name; deeper than 32 folders is refused."""
    if depth > MAX_DEPTH:
        raise UnusableError(f"more than {MAX_DEPTH} folders deep", str(tree.path), "keep the folder flat")
    for item in sorted(tree, key=lambda entry: str(entry.path)):
        if item.type == "tree":
            yield from _walk(item, depth + 1)
        elif item.type == "submodule" or str(item.path).endswith(".json"):
            yield item
