from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.gitrun import GitError
from perfgate.bisection.mirror import bring
from perfgate.bisection.owner import this_process
from perfgate.bisection.submodules import Submodules, submodule_addresses, submodule_links
from perfgate.bisection.worktrees import Worktrees
from tests.repositories import Repository
from tests.unit.bisection.git_world import GitWorld, git_world

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WITH_FILES = ("https", "ssh", "file")  # of the test alone: its servers are folders


def library(folder: Path, *texts: str) -> tuple[Repository, list[str]]:
    repository = Repository(folder)
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return repository, [repository.commit(text, {"lib.txt": text}) for text in texts]


def link(world: GitWorld, url: str, commit: str, path: str = "sub") -> str:
    """A commit of the user's repository that has the submodule at a commit."""
    repository = world.repository
    repository.write({".gitmodules": f'[submodule "s"]\n\tpath = {path}\n\turl = {url}\n'})
    repository.git("add", ".gitmodules")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
    repository.git("commit", "-q", "-m", "link")
    head = repository.git("rev-parse", "HEAD")
    bring(world.mirror, world.source, [head])
    return head


@pytest.fixture
def world(tmp_path: Path) -> GitWorld:
    return git_world(tmp_path)


@pytest.fixture
def trees(world: GitWorld) -> Iterator[Worktrees]:
    made = Worktrees(world.mirror, this_process(), (Submodules(world.mirror, "", WITH_FILES),))
    made.open()
    yield made
    made.close()


def test_links_and_addresses_are_read_from_the_commit(world: GitWorld) -> None:
    commit = link(world, "https://example.org/a.git", "1" * 40, "vendor/a b")
    assert submodule_links(world.mirror.git, commit) == {"vendor/a b": "1" * 40}
    assert submodule_addresses(world.mirror.git, commit) == {"vendor/a b": "https://example.org/a.git"}
    assert submodule_addresses(world.mirror.git, f"{commit}^") == {}


def test_each_checkout_has_the_files_of_its_own_commit(
    world: GitWorld, trees: Worktrees, tmp_path: Path
) -> None:
    inner, (old, new) = library(tmp_path / "lib", "old", "new")
    before = world.repository.git("rev-parse", "HEAD")
    first = link(world, f"file://{inner.folder}", old)
    second = link(world, f"file://{inner.folder}", new)
    for commit, text in ((first, "old"), (second, "new"), (first, "old")):
        tree = trees.check_out(0, commit)
        trees.fill(0, commit)
        assert (tree / "sub" / "lib.txt").read_text() == text
        assert [path.name for path in (tree / "sub").iterdir()] == ["lib.txt"]
        (tree / "sub" / "built.o").write_text("left by a build")
    tree = trees.check_out(0, before)
    trees.fill(0, before)
    assert not (tree / "sub").exists()


def test_a_link_that_a_build_has_put_there_is_replaced_and_not_followed(
    world: GitWorld, trees: Worktrees, tmp_path: Path
) -> None:
    inner, (commit,) = library(tmp_path / "lib", "text")
    outer = tmp_path / "precious"
    outer.mkdir()
    (outer / "kept.txt").write_text("kept")
    head = link(world, f"file://{inner.folder}", commit)
    tree = trees.check_out(0, head)
    (tree / "sub").rmdir()
    (tree / "sub").symlink_to(outer)
    trees.check_out(0, head)
    trees.fill(0, head)
    assert (tree / "sub" / "lib.txt").read_text() == "text"
    assert [path.name for path in outer.iterdir()] == ["kept.txt"]


def test_submodules_in_submodules_follow(world: GitWorld, trees: Worktrees, tmp_path: Path) -> None:
    _, (deep,) = library(tmp_path / "deep", "deep")
    middle = Repository(tmp_path / "middle")
    middle.write({".gitmodules": '[submodule "d"]\n\tpath = deep\n\turl = ../deep\n', "m.txt": "middle"})
    middle.git("add", ".")
    middle.git("update-index", "--add", "--cacheinfo", f"160000,{deep},deep")
    middle.git("commit", "-q", "-m", "middle")
    head = link(world, f"file://{middle.folder}", middle.git("rev-parse", "HEAD"))
    tree = trees.check_out(0, head)
    trees.fill(0, head)
    assert (tree / "sub" / "m.txt").read_text() == "middle"
    assert (tree / "sub" / "deep" / "lib.txt").read_text() == "deep"


def test_a_folder_is_no_source_outside_of_tests(world: GitWorld, tmp_path: Path) -> None:
    inner, (commit,) = library(tmp_path / "lib", "text")
    head = link(world, f"file://{inner.folder}", commit)
    with pytest.raises(GitError, match="is not allowed"):
        Submodules(world.mirror, "").fill(tmp_path / "tree", head)
    assert not (world.mirror.folder / "submodules").exists()


def test_a_commit_that_the_source_does_not_have_is_said(
    world: GitWorld, trees: Worktrees, tmp_path: Path
) -> None:
    inner, _ = library(tmp_path / "lib", "text")
    head = link(world, f"file://{inner.folder}", "2" * 40)
    trees.check_out(0, head)
    with pytest.raises(GitError, match="the submodule has no commit 222222222222"):
        trees.fill(0, head)


def test_a_link_without_an_address_is_said(world: GitWorld, trees: Worktrees) -> None:
    repository = world.repository
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'3' * 40},sub")
    repository.git("commit", "-q", "-m", "link")
    head = repository.git("rev-parse", "HEAD")
    bring(world.mirror, world.source, [head])
    trees.check_out(0, head)
    with pytest.raises(GitError, match="no address for the submodule 'sub'"):
        trees.fill(0, head)
