from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.revision import Base, default_branch, find_base, open_repository, resolve
from perfgate.core.errors import UnusableError
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path


def base_of(folder: Path, override: str | None = None, **environment: str) -> Base:
    with open_repository(folder) as repository:
        return find_base(repository, override, environment)


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "origin")
    repository.commit("one", {"a": "1"})
    repository.commit("two", {"a": "2"})
    return repository


def test_a_local_branch_is_judged_against_its_merge_base(origin: Repository, tmp_path: Path) -> None:
    fork = origin.git("rev-parse", "HEAD")
    clone = origin.clone(tmp_path / "clone")
    clone.git("checkout", "-q", "-b", "topic")
    clone.commit("mine", {"b": "1"})
    assert base_of(clone.folder) == Base(fork, "merge-base with origin/main")


def test_without_a_remote_only_uncommitted_changes_of_main_are_judged(origin: Repository) -> None:
    assert base_of(origin.folder).commit == origin.git("rev-parse", "HEAD")


def test_a_shallow_clone_whose_base_is_its_head_warns(origin: Repository, tmp_path: Path) -> None:
    clone = origin.clone(tmp_path / "clone", "--depth", "1")
    found = base_of(clone.folder)
    assert found.commit == clone.git("rev-parse", "HEAD")
    assert "this clone is shallow: only uncommitted changes are judged" in found.warning
    assert "git fetch --unshallow" in found.warning
    assert base_of(clone.folder, "HEAD").warning == ""  # somebody asked for it
    assert base_of(origin.folder).warning == ""


def test_a_branch_without_a_remote_is_judged_against_local_main(origin: Repository) -> None:
    main = origin.git("rev-parse", "main")
    origin.git("checkout", "-q", "-b", "topic")
    origin.commit("mine", {"b": "1"})
    assert base_of(origin.folder) == Base(main, "merge-base with main")


def test_a_merge_ref_checkout_is_judged_against_its_first_parent(origin: Repository) -> None:
    origin.git("checkout", "-q", "-b", "topic")
    origin.commit("mine", {"b": "1"})
    origin.git("checkout", "-q", "main")
    moved = origin.commit("base moved", {"a": "3"})
    origin.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    found = base_of(origin.folder, GITHUB_EVENT_NAME="pull_request", GITHUB_BASE_REF="main")
    assert found == Base(moved, "HEAD^1")


def test_a_shallow_merge_ref_says_which_fetch_depth_is_needed(origin: Repository, tmp_path: Path) -> None:
    origin.git("checkout", "-q", "-b", "topic")
    origin.commit("mine", {"b": "1"})
    origin.git("checkout", "-q", "main")
    origin.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    clone = origin.clone(tmp_path / "clone", "--depth", "1")
    with pytest.raises(UnusableError, match=r"HEAD\^1 is not in this clone.*fetch-depth: 2"):
        base_of(clone.folder, GITHUB_EVENT_NAME="pull_request", GITHUB_BASE_REF="main")


def test_a_push_is_judged_against_the_commit_before_it(origin: Repository, tmp_path: Path) -> None:
    before = origin.git("rev-parse", "HEAD")
    origin.commit("three", {"a": "3"})
    origin.commit("four", {"a": "4"})
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": before}))
    found = base_of(origin.folder, GITHUB_EVENT_NAME="push", GITHUB_EVENT_PATH=str(event))
    assert found == Base(before, "the push event's `before`")


@pytest.mark.parametrize("before", ["0" * 40, "f" * 40, "--upload-pack=x", 7])
def test_a_push_whose_before_is_unknown_falls_back_to_the_first_parent(
    origin: Repository, tmp_path: Path, before: object
) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": before}))
    found = base_of(origin.folder, GITHUB_EVENT_NAME="push", GITHUB_EVENT_PATH=str(event))
    assert found.commit == origin.git("rev-parse", "HEAD^1")


@pytest.mark.parametrize("revision", ["--upload-pack=x", "-x", "main\nx", "", "nowhere", "HEAD^{tree}"])
def test_text_that_names_no_commit_is_refused_and_runs_nothing(origin: Repository, revision: str) -> None:
    with open_repository(origin.folder) as repository:
        assert resolve(repository, revision) is None
        with pytest.raises(UnusableError, match="no commit named"):
            find_base(repository, revision, {})


def test_a_revision_is_resolved_to_forty_digits(origin: Repository) -> None:
    assert base_of(origin.folder, "HEAD~1").commit == origin.git("rev-parse", "HEAD~1")


def test_a_repository_without_a_commit_is_unusable(tmp_path: Path) -> None:
    Repository(tmp_path / "empty")
    with pytest.raises(UnusableError, match="has no commit"):
        base_of(tmp_path / "empty")


def test_a_folder_outside_git_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="not a git repository"):
        open_repository(tmp_path)


def test_the_default_branch_is_the_remotes_else_a_local_one_else_what_is_checked_out(
    origin: Repository, tmp_path: Path
) -> None:
    clone = origin.clone(tmp_path / "clone")
    clone.git("checkout", "-q", "-b", "topic")
    with open_repository(clone.folder) as opened:
        assert default_branch(opened) == "main"
    origin.git("branch", "-m", "main", "trunk")
    with open_repository(origin.folder) as opened:
        assert default_branch(opened) == "trunk"
    origin.git("checkout", "-q", "--detach")
    with open_repository(origin.folder) as opened:
        assert default_branch(opened) == "main"
    renamed = origin.clone(tmp_path / "renamed", "-b", "trunk")
    renamed.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    with open_repository(renamed.folder) as opened:
        assert default_branch(opened) == "trunk"
