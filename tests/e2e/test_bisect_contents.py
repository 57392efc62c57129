"""Submodules and large files in a bisection: on request, and never from a place that git could be led to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bisect_world import short_history
from tests.e2e.bisect_command import Bisection
from tests.repository_state import state_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_submodule_from_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=4, flip_at=2)
    repository = world.repository
    repository.write({".gitmodules": f'[submodule "s"]\n\tpath = sub\n\turl = file://{tmp_path}/lib\n'})
    repository.git("add", ".gitmodules")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repository.git("commit", "-q", "-m", "link")
    bad = repository.git("rev-parse", "HEAD")
    before = state_of(repository.folder)
    done = Bisection(world, tmp_path / "cache").run("--bad", bad, "--submodules")
    assert done.code == 2, done.text
    assert "the bad end cannot be measured: build failed (the submodule's address" in done.err
    assert "is not allowed" in done.err
    assert state_of(repository.folder) == before


def test_large_files_without_git_lfs_are_a_usage_error(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=4, flip_at=2)
    done = Bisection(world, tmp_path / "cache").run("--lfs", GIT_EXEC_PATH="/nowhere", PATH="/usr/bin:/bin")
    assert done.code == 2, done.text
    assert "git-lfs is not installed: --lfs: install it, or leave the option out" in done.err
