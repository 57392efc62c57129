from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from perfgate.bisection.mirror import (
    bisect_folder,
    bring,
    mirror_folder,
    open_mirror,
    open_source,
    origin_url,
)
from perfgate.core.errors import UnusableError, UsageError
from tests.repositories import clean_environment
from tests.repository_state import state_of
from tests.unit.bisection.git_world import git_world


def test_the_mirror_is_private_and_has_neither_alternates_nor_a_way_back(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    before = state_of(world.repository.folder)
    assert world.mirror.folder.stat().st_mode & 0o777 == 0o700
    assert not (world.mirror.repository / "objects" / "info" / "alternates").exists()
    assert not (world.mirror.repository / "hooks").exists()
    assert not world.mirror.git.succeeds("config", "--get-regexp", "^remote")
    assert world.repository.folder.name not in str(world.mirror.folder.relative_to(tmp_path))
    assert state_of(world.repository.folder) == before


def test_objects_borrowed_from_a_third_repository_are_copied(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    clone = world.repository.clone(tmp_path / "borrower", "--shared")
    alternates = clone.folder / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(str(world.repository.folder / ".git" / "objects") + "\n")
    source = open_source(clone.folder, tmp_path / "cache", clean_environment())
    mirror = open_mirror(source, tmp_path / "cache")
    assert not (mirror.repository / "objects" / "info" / "alternates").exists()
    assert mirror.git.succeeds("cat-file", "-e", clone.git("rev-parse", "HEAD"))


def test_the_cache_may_lie_on_another_disk(tmp_path: Path) -> None:
    other = Path("/dev/shm")  # noqa: S108 - a file system of its own, in a folder of the test
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("the machine has no second file system that anybody may write to")
    world = git_world(tmp_path)
    with tempfile.TemporaryDirectory(dir=other) as cache:
        mirror = open_mirror(world.source, Path(cache))
        assert mirror.git.succeeds("cat-file", "-e", world.repository.git("rev-parse", "HEAD"))


def test_later_commits_are_brought_also_when_no_branch_holds_them(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    world.repository.git("checkout", "-q", "--detach")
    loose = world.repository.commit("on no branch", {"a.txt": "9\n"})
    assert not world.mirror.git.succeeds("cat-file", "-e", loose)
    bring(world.mirror, world.source, [loose])
    assert world.mirror.git.text("log", "-1", "--format=%s", loose) == "on no branch"
    assert world.mirror.git.text("rev-parse", f"refs/perfgate/{loose}") == loose


def test_an_interrupted_clone_is_begun_again(tmp_path: Path) -> None:
    world = git_world(tmp_path / "first")
    folder = mirror_folder(world.source, tmp_path / "other")
    (folder / "unfinished.git").mkdir(parents=True)
    mirror = open_mirror(world.source, tmp_path / "other")
    assert mirror.git.succeeds("rev-parse", "--git-dir")
    assert not (folder / "unfinished.git").exists()


def test_a_mirror_that_git_cannot_read_is_reported(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    (world.mirror.repository / "HEAD").unlink()
    with pytest.raises(UnusableError, match="cache prune --all"):
        open_mirror(world.source, world.cache)


def test_a_folder_outside_of_git_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a git repository"):
        open_source(tmp_path, tmp_path / "cache", clean_environment())


def test_linked_worktrees_share_one_mirror(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    world.repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = open_source(tmp_path / "linked", world.cache, clean_environment())
    assert linked.root == (tmp_path / "linked").resolve()
    assert mirror_folder(linked, world.cache) == mirror_folder(world.source, world.cache)


def test_the_origin_is_read_from_the_repository_only(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    assert origin_url(world.source) == ""
    world.repository.git("remote", "add", "origin", "https://example.org/x.git")
    assert origin_url(world.source) == "https://example.org/x.git"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "/home/ada/.cache/perfgate/bisect"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/perfgate/bisect"),
        ({"XDG_CACHE_HOME": "/x", "PERFGATE_CACHE": "/y"}, "/y/bisect"),
    ],
)
def test_the_cache_folder_follows_the_environment(environment: dict[str, str], folder: str) -> None:
    assert bisect_folder(environment, Path("/home/ada")) == Path(folder)


def test_repositories_do_not_share_a_mirror(tmp_path: Path) -> None:
    one, two = git_world(tmp_path / "one"), git_world(tmp_path / "two")
    assert mirror_folder(one.source, tmp_path) != mirror_folder(two.source, tmp_path)
