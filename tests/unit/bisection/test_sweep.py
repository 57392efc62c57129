from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.bisection.owner import RUN_VARIABLE, Owner, this_process
from perfgate.bisection.sweep import sweep
from perfgate.bisection.worktrees import Worktrees
from tests.unit.bisection.git_world import GitWorld, git_world

if TYPE_CHECKING:
    from pathlib import Path


def worktree_of(world: GitWorld, owner: Owner) -> Worktrees:
    worktrees = Worktrees(world.mirror, owner)
    worktrees.open()
    worktrees.check_out(0, world.repository.git("rev-parse", "HEAD"))
    return worktrees


def dead_owner() -> Owner:
    return replace(this_process(), start="1")


def test_what_a_dead_run_left_is_removed_and_a_living_one_keeps_its_own(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    dead, alive = worktree_of(world, dead_owner()), worktree_of(world, this_process())
    found = sweep(world.mirror)
    assert found.runs == 1
    assert not dead.folder.exists()
    assert alive.folder.exists()
    entries = [path.name for path in (world.mirror.repository / "worktrees").iterdir()]
    assert entries == [f"{alive.folder.name}-0"]
    alive.close()


def test_processes_of_a_dead_run_are_ended(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    owner = dead_owner()
    worktree_of(world, owner)
    child = subprocess.Popen(
        [sys.executable, "-c", "print('ready', flush=True); input()"],
        env={RUN_VARIABLE: owner.token},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    found = sweep(world.mirror)
    child.communicate()
    assert found.processes == 1
    assert child.returncode == -9


def test_half_made_worktrees_and_locks_of_a_killed_git_go_as_well(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    repository = world.mirror.repository
    entry = repository / "worktrees" / "0123-0"
    entry.mkdir(parents=True)
    (entry / "locked").write_text("initializing")
    (repository / "packed-refs.lock").write_text("")
    (repository / "refs" / "heads" / "main.lock").write_text("")
    (world.mirror.folder / "trees").mkdir()
    (world.mirror.folder / "trees" / "0123").mkdir()
    (world.mirror.folder / "trees" / "0123.part").write_text("perf")
    sweep(world.mirror)
    assert list((repository / "worktrees").iterdir()) == []
    assert list(repository.rglob("*.lock")) == []
    assert list((world.mirror.folder / "trees").iterdir()) == []


def test_a_run_on_another_machine_is_left_alone(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    other = worktree_of(world, replace(dead_owner(), host="elsewhere"))
    assert sweep(world.mirror).runs == 0
    assert other.folder.exists()
