from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.revisions import Range, depth_advice, is_complete, resolve, resolve_range
from perfgate.core.errors import UsageError
from tests.unit.bisection.git_world import git_world

if TYPE_CHECKING:
    from pathlib import Path


def test_branches_tags_and_short_ids_become_full_ids(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    head = world.repository.git("rev-parse", "HEAD")
    world.repository.git("tag", "-a", "v1", "-m", "a tag object")
    assert {resolve(world.source.git, name, "--bad") for name in ("main", "v1", head[:8], "HEAD")} == {head}


@pytest.mark.parametrize(
    "text", ["--output=x", "-x", "", "absent", "a\nb", "a\0b", "main:a.txt", "main^{tree}"]
)
def test_text_that_names_no_commit_is_refused_and_writes_nothing(tmp_path: Path, text: str) -> None:
    world = git_world(tmp_path)
    with pytest.raises(UsageError, match="--good"):
        resolve(world.source.git, text, "--good")
    assert not (world.repository.folder / "x").exists()


def test_an_ancestor_is_the_good_end_as_given(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    good, bad = (world.repository.git("rev-parse", name) for name in ("HEAD~2", "HEAD"))
    assert resolve_range(world.source.git, good, bad) == Range(good=good, bad=bad)


def test_a_commit_of_another_branch_gives_way_to_the_merge_base(tmp_path: Path) -> None:
    repository = git_world(tmp_path).repository
    base = repository.git("rev-parse", "HEAD~1")
    repository.git("checkout", "-q", "-b", "release", base)
    release = repository.commit("release", {"r.txt": "1"})
    world_git = git_world(tmp_path / "other").source.git
    git = type(world_git)(folder=repository.folder, environment=world_git.environment)
    found = resolve_range(git, release, repository.git("rev-parse", "main"))
    assert found.good == base
    assert "merge base" in found.notes[0]


@pytest.mark.parametrize(
    ("good", "bad", "words"), [("HEAD", "HEAD~1", "swap them"), ("HEAD", "HEAD", "same commit")]
)
def test_ends_that_make_no_range_are_refused(tmp_path: Path, good: str, bad: str, words: str) -> None:
    world = git_world(tmp_path)
    ids = [world.repository.git("rev-parse", name) for name in (good, bad)]
    with pytest.raises(UsageError, match=words):
        resolve_range(world.source.git, *ids)


def test_histories_without_a_common_commit_are_refused(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    world.repository.git("checkout", "-q", "--orphan", "apart")
    apart = world.repository.commit("apart", {"c.txt": "1"})
    with pytest.raises(UsageError, match="share no history"):
        resolve_range(world.source.git, apart, world.repository.git("rev-parse", "main"))


def test_a_shallow_range_is_complete_only_when_no_commit_has_lost_its_parents(tmp_path: Path) -> None:
    world = git_world(tmp_path, commits=5)
    ids = world.repository.git("rev-list", "--reverse", "main").split()
    clone = world.repository.clone(tmp_path / "clone", "--depth=3")
    git = type(world.source.git)(folder=clone.folder, environment=world.source.git.environment)
    assert is_complete(git, Range(good=ids[2], bad=ids[4]))
    apart = clone.git("commit-tree", "-m", "apart", f"{ids[4]}^{{tree}}")
    assert not is_complete(git, Range(good=apart, bad=ids[4]))  # reaches the clone's edge, ids[2]


@pytest.mark.parametrize(
    ("environment", "words"),
    [({"GITHUB_ACTIONS": "true"}, "fetch-depth: 0"), ({"GITLAB_CI": "1"}, "GIT_DEPTH"), ({}, "--unshallow")],
)
def test_the_advice_on_depth_is_that_of_the_ci_in_use(environment: dict[str, str], words: str) -> None:
    assert words in depth_advice(environment)
