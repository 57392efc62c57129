"""Every tree that can be measured: the working tree, with and without git, and a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.revision import open_repository, resolve
from perfgate.core.errors import UsageError
from perfgate.workflow.commit_tree import CommitTree
from perfgate.workflow.worktree import Tree, WorkTree
from tests.repositories import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES: dict[str, str | bytes] = {
    "perf_a.yaml": "version: 1\n",
    "models/é.onnx": b"\x00\x01",
    "devices/mine.yaml": "name: mine\n",
}


@pytest.fixture(params=["work tree", "without git", "commit", "below the top"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tree]:
    repository = Repository(tmp_path / "r")
    if request.param == "below the top":
        repository.commit("one", {"outside": "x", **{f"sub/{name}": text for name, text in FILES.items()}})
    else:
        repository.commit("one", FILES)
    (repository.folder / "link").symlink_to("perf_a.yaml")
    repository.commit("a link")
    if request.param == "without git":
        (repository.folder / ".git").rename(tmp_path / "away")
        yield WorkTree(repository.folder, None)
        return
    with open_repository(repository.folder) as opened:
        if request.param == "work tree":
            yield WorkTree(repository.folder, opened)
            return
        prefix = "sub" if request.param == "below the top" else ""
        (tmp_path / "empty").mkdir()
        yield CommitTree(opened, str(resolve(opened, "HEAD")), prefix, tmp_path / "empty")


def test_regular_files_are_listed_in_order_and_read(tree: Tree) -> None:
    assert tree.files == ("devices/mine.yaml", "models/é.onnx", "perf_a.yaml")
    assert tree.read("models/é.onnx") == b"\x00\x01"
    assert tree.read("perf_a.yaml", most=3) == b"ver"


def test_device_descriptions_are_on_disk_below_the_root(tree: Tree) -> None:
    assert (tree.root / "devices" / "mine.yaml").read_text() == "name: mine\n"


@pytest.mark.parametrize("path", ["absent", "models", "link", "../outside", "/etc/passwd"])
def test_what_is_no_regular_file_is_refused_with_who_named_it(tree: Tree, path: str) -> None:
    with pytest.raises(UsageError, match=r"the model .*\(named at s\.yaml:1:1\)"):
        tree.read(path, what="model", named_at="s.yaml:1:1")


def test_a_pointer_of_git_lfs_is_no_model(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one", {"m.onnx": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"})
    with open_repository(repository.folder) as opened:
        tree = CommitTree(opened, str(resolve(opened, "HEAD")), "", tmp_path)
        with pytest.raises(UsageError, match="is a Git LFS pointer"):
            tree.read("m.onnx", what="model")
