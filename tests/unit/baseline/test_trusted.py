from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.revision import open_repository
from perfgate.baseline.trusted import MAX_FILE, TrustedTree
from perfgate.core.errors import UnusableError
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def tree_of(repository: Repository, prefix: str = "") -> TrustedTree:
    with open_repository(repository.folder) as found:
        return TrustedTree(found, repository.git("rev-parse", "HEAD"), prefix)


def test_content_comes_from_the_commit_not_from_the_working_tree(repository: Repository) -> None:
    repository.commit("one", {"perfgate.yaml": "version: 1\n", "baselines/d/a.json": "{}"})
    repository.write({"perfgate.yaml": "edited", "baselines/d/a.json": "edited"})
    tree = tree_of(repository)
    assert tree.read("perfgate.yaml") == b"version: 1\n"
    assert tree.read_folder("baselines") == ({"baselines/d/a.json": b"{}"}, {})
    assert tree.read("absent.yaml") is None
    assert tree.read_folder("absent") == ({}, {})


def test_a_subfolder_of_the_repository_can_be_the_root(repository: Repository) -> None:
    repository.commit("one", {"sub/perfgate.yaml": "x", "sub/baselines/d/a.json": "{}", "other": "y"})
    tree = tree_of(repository, "sub")
    assert tree.read("perfgate.yaml") == b"x"
    assert tree.read_folder("baselines")[0] == {"baselines/d/a.json": b"{}"}
    assert tree.paths == ("baselines/d/a.json", "perfgate.yaml")


def test_links_and_executables_and_large_files_are_refused_with_the_reason(repository: Repository) -> None:
    repository.write({"baselines/d/run.json": "{}", "baselines/d/large.json": b"x" * (MAX_FILE + 1)})
    (repository.folder / "baselines/d/run.json").chmod(0o755)
    (repository.folder / "baselines/d/link.json").symlink_to("/etc/passwd")
    repository.commit("one")
    files, refused = tree_of(repository).read_folder("baselines")
    assert files == {}
    assert {path: reason.split(":")[0] for path, reason in refused.items()} == {
        "baselines/d/large.json": "1,048,577 bytes are too many",
        "baselines/d/link.json": "the file is a symlink",
        "baselines/d/run.json": "the file is an executable file",
    }


def test_a_link_as_the_baselines_folder_is_refused(repository: Repository, tmp_path: Path) -> None:
    (repository.folder / "baselines").symlink_to(tmp_path)
    repository.commit("one")
    with pytest.raises(UnusableError, match="is no folder"):
        tree_of(repository).read_folder("baselines")


def test_a_link_as_the_policy_is_refused(repository: Repository) -> None:
    (repository.folder / "perfgate.yaml").symlink_to("/etc/passwd")
    repository.commit("one")
    with pytest.raises(UnusableError, match="the file is a symlink"):
        tree_of(repository).read("perfgate.yaml")


def test_hooks_and_monitors_of_the_repository_do_not_run(repository: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    repository.commit("one", {"a.json": "{}", ".gitattributes": "*.json diff=evil\n"})
    repository.git("config", "core.fsmonitor", str(script))
    repository.git("config", "diff.evil.textconv", str(script))
    repository.git("config", "core.pager", str(script))
    tree = tree_of(repository)
    assert tree.read("a.json") == b"{}"
    assert "a.json" in tree.paths
    assert not mark.exists()
