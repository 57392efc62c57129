from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.gitrun import Git
from perfgate.bisection.large_files import LargeFiles, require_lfs
from perfgate.bisection.owner import this_process
from perfgate.bisection.worktrees import Worktrees
from perfgate.core.errors import UsageError
from tests.unit.bisection.git_world import git_world

if TYPE_CHECKING:
    from pathlib import Path

# Stands for the program, which few machines have: it says how it was called.
FAKE = """#!/bin/sh
[ "$1" = version ] && exit 0
echo "$* $(git config remote.origin.url) $(git config lfs.storage) $GIT_LFS_SKIP_SMUDGE" > model.bin
"""


def test_without_the_program_the_option_is_refused(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    (tmp_path / "bin").mkdir()
    environment = {**world.mirror.git.environment, "GIT_EXEC_PATH": str(tmp_path / "bin")}
    with pytest.raises(UsageError, match="git-lfs is not installed: --lfs"):
        require_lfs(Git(folder=world.mirror.repository, environment=environment))


def test_large_files_come_from_the_origin_into_our_own_store(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    program = tmp_path / "bin" / "git-lfs"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(0o755)
    environment = dict(world.mirror.git.environment)
    environment["PATH"] = f"{program.parent}:{environment['PATH']}"
    mirror = replace(world.mirror, git=replace(world.mirror.git, environment=environment))
    require_lfs(mirror.git)
    trees = Worktrees(mirror, this_process(), (LargeFiles(mirror, "https://example.org/nets.git"),))
    trees.open()
    try:
        commit = world.repository.git("rev-parse", "HEAD")
        tree = trees.check_out(0, commit)
        trees.fill(0, commit)
        said = (tree / "model.bin").read_text()
    finally:
        trees.close()
    assert said == f"pull origin https://example.org/nets.git {mirror.folder / 'lfs'} 0\n"
