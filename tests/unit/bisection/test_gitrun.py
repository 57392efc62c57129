from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.gitrun import Git, GitError, scrubbed, trusted_folders
from tests.repositories import Repository, clean_environment

if TYPE_CHECKING:
    from pathlib import Path


def git_in(folder: Path, **more: str) -> Git:
    return Git(folder=folder, environment=scrubbed({**clean_environment(), **more}, folder / "none"))


def test_inherited_variables_lead_git_nowhere_else(tmp_path: Path) -> None:
    Repository(tmp_path / "here").commit("here")
    Repository(tmp_path / "there").commit("there")
    inherited = {"GIT_DIR": str(tmp_path / "there" / ".git"), "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/x"}
    git = git_in(tmp_path / "here", **inherited)
    assert git.text("log", "-1", "--format=%s") == "here"
    assert git.text("rev-parse", "--show-toplevel") == str((tmp_path / "here").resolve())


def test_the_users_configuration_is_not_read(tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Somebody\n")
    Repository(tmp_path / "here").commit("here")
    git = git_in(tmp_path / "here", GIT_CONFIG_GLOBAL=str(config))
    assert not git.succeeds("config", "--get", "user.name")


def test_a_refusal_says_what_git_said(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        git_in(tmp_path).run("rev-parse", "HEAD")


def test_a_call_that_hangs_is_ended(tmp_path: Path) -> None:
    Repository(tmp_path / "here").commit("here")
    git = git_in(tmp_path / "here")
    with pytest.raises(GitError, match="did not answer within"):
        git.run("-c", "alias.hang=!sleep 60", "hang", timeout=0.2)


def test_file_and_ext_transports_are_off_unless_asked_for(tmp_path: Path) -> None:
    Repository(tmp_path / "here").commit("here")
    git = git_in(tmp_path)
    with pytest.raises(GitError, match="'ext' not allowed"):
        git.run("ls-remote", "ext::sh -c 'touch trap'")
    with pytest.raises(GitError, match="'file' not allowed"):
        git.run("ls-remote", f"file://{tmp_path}/here")
    assert git.run("ls-remote", f"file://{tmp_path}/here", settings=("protocol.file.allow=always",))


def test_names_that_are_no_utf8_survive(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "here")
    (repository.folder / os.fsdecode(b"caf\xe9")).write_text("x")
    repository.git("add", "-A")
    assert os.fsencode(git_in(repository.folder).text("ls-files")) == b"caf\xe9"


def test_only_the_users_own_trust_is_handed_on(tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = /work tree\n\tdirectory = /other\n")
    environment = {**clean_environment(), "GIT_CONFIG_GLOBAL": str(config)}
    assert trusted_folders(environment) == ("/work tree", "/other")
    assert trusted_folders(clean_environment()) == ()


def test_the_environment_does_not_show_in_messages(tmp_path: Path) -> None:
    assert "hidden" not in repr(git_in(tmp_path, OTHER="hidden"))
