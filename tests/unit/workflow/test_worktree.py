from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.revision import open_repository
from perfgate.core.errors import UsageError
from perfgate.workflow.worktree import WorkTree, find_root
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path


def test_tracked_and_new_files_are_listed_ignored_ones_are_not(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one", {"a.sh": "1", ".gitignore": "out/\n", "gone.sh": "x", "名前.sh": "2"})
    repository.write({"new.sh": "3", "out/b.sh": "4"})
    (repository.folder / "gone.sh").unlink()
    with open_repository(repository.folder) as opened:
        assert WorkTree(repository.folder, opened).files == (".gitignore", "a.sh", "new.sh", "名前.sh")


def test_a_root_below_the_top_of_the_repository_sees_its_own_files(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one", {"sub/a.sh": "1", "b.sh": "2"})
    with open_repository(repository.folder / "sub") as opened:
        tree = WorkTree(repository.folder / "sub", opened)
        assert tree.files == ("a.sh",)
        assert tree.prefix == "sub"


def test_outside_git_every_regular_file_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "b").write_text("2")
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert WorkTree(tmp_path, None).files == ("a",)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("absent", "the model is missing: absent (named at s.yaml:1:1): correct the path"),
        ("folder", "cannot be read, is a directory"),
        ("link", "cannot be read"),
        ("linked/inside", "cannot be read"),
        ("../outside", "outside of the repository"),
        ("/etc/passwd", "outside of the repository"),
    ],
)
def test_what_is_no_plain_file_of_the_tree_is_refused(tmp_path: Path, path: str, words: str) -> None:
    root = tmp_path / "r"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "inside").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError) as caught:
        WorkTree(root, None).read(path, what="model", named_at="s.yaml:1:1")
    assert words in str(caught.value)
    assert "s.yaml:1:1" in str(caught.value)


def test_no_more_than_asked_for_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    assert WorkTree(tmp_path, None).read("a", most=10) == b"x" * 10


def test_the_root_is_the_nearest_folder_with_a_mark(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "perfgate.yaml").write_text("version: 1\n")
    assert find_root(inner) == tmp_path / "a"
