from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.bisection.owner import this_process
from perfgate.bisection.worktrees import Worktrees, remove_folder
from tests.repository_state import state_of
from tests.unit.bisection.git_world import GitWorld, git_world

if TYPE_CHECKING:
    from pathlib import Path


def opened(world: GitWorld) -> Worktrees:
    worktrees = Worktrees(world.mirror, this_process())
    worktrees.open()
    return worktrees


def test_a_worktree_holds_exactly_the_commit_whatever_was_left_in_it(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    old, new = (world.repository.git("rev-parse", name) for name in ("HEAD~1", "HEAD"))
    worktrees = opened(world)
    tree = worktrees.check_out(0, new)
    (tree / "a.txt").write_text("edited")
    (tree / "b.txt").unlink()
    (tree / "built").mkdir()
    (tree / "built" / "thing").write_text("x")
    assert worktrees.check_out(0, old) == tree
    assert sorted(path.name for path in tree.iterdir()) == [".git", "a.txt", "b.txt"]
    assert (tree / "a.txt").read_text() == "1\n"
    worktrees.close()


def test_a_git_file_that_a_build_has_changed_leads_nowhere(tmp_path: Path) -> None:
    """Were the worktree's own `.git` believed, cleaning it would empty the repository it points at."""
    world = git_world(tmp_path)
    head = world.repository.git("rev-parse", "HEAD")
    worktrees = opened(world)
    tree = worktrees.check_out(0, head)
    (world.repository.folder / "untracked.txt").write_text("mine")
    before = state_of(world.repository.folder)
    (tree / ".git").write_text(f"gitdir: {world.repository.folder / '.git'}\n")
    worktrees.check_out(0, world.repository.git("rev-parse", "HEAD~1"))
    assert state_of(world.repository.folder) == before
    worktrees.close()


def test_nothing_is_left_after_closing(tmp_path: Path) -> None:
    world = git_world(tmp_path)
    worktrees = opened(world)
    tree = worktrees.check_out(0, world.repository.git("rev-parse", "HEAD"))
    locked = tree / "deep" / "deeper"
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(0o000)
    listed = world.mirror.git.text("worktree", "list", "--porcelain")
    assert f"locked perfgate {this_process().host}" in listed
    worktrees.close()
    assert list((world.mirror.repository / "worktrees").glob("*")) == []
    assert list(worktrees.folder.parent.iterdir()) == []


def test_a_link_is_removed_and_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    (tmp_path / "link").symlink_to(kept)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(kept)
    remove_folder(tmp_path / "link")
    remove_folder(folder)
    remove_folder(tmp_path / "absent")
    assert (kept / "file").read_text() == "x"
    assert not folder.exists()
