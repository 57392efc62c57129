from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.builder import KEPT_TREES, MIN_FREE, Builder, SetUp
from perfgate.bisection.child import Limits
from perfgate.bisection.overlay import Overlay, OverlayFile
from perfgate.bisection.owner import this_process
from perfgate.bisection.probe import Outcome
from perfgate.bisection.surroundings import Surroundings
from perfgate.bisection.worktrees import Worktrees
from perfgate.core.errors import UsageError
from tests.unit.bisection.git_world import git_world

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Site:
    """A builder on a small repository; `free` is what the disk says."""

    def __init__(self, folder: Path, *command: str, seconds: float = 30.0, commits: int = 3) -> None:
        self.world = git_world(folder, commits=commits)
        self.commits = self.world.repository.git("rev-list", "--reverse", "HEAD").split()
        owner = this_process()
        self.worktrees = Worktrees(self.world.mirror, owner)
        self.worktrees.open()
        self.free = [1 << 40]
        self.builder = Builder(
            self.worktrees,
            Overlay(files=(OverlayFile(path="perf_x.yaml", data=b"suite"),)),
            SetUp(command=command, seconds=seconds),
            Surroundings(
                outer={"PATH": os.environ["PATH"]},
                names=(),
                root=self.world.source.root,
                home=self.worktrees.home,
                temporary=self.worktrees.temporary,
                token=owner.token,
            ),
            limits=Limits(seconds=30),
            free_bytes=lambda _folder: self.free[-1] if len(self.free) == 1 else self.free.pop(0),
        )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    left = list(tmp_path.rglob("trees/*.owner"))
    assert len(left) <= 1


def test_a_build_is_a_checkout_with_the_benchmarks_files_and_the_set_up_run(folder: Path) -> None:
    site = Site(folder, "sh", "-c", "cat a.txt perf_x.yaml > made")
    built = site.builder.build(site.commits[1])
    assert built.outcome is Outcome.MEASURED
    assert built.tree is not None
    assert (built.tree / "made").read_text() == "1\nsuite"
    assert site.builder.built(site.commits[1]) == built.tree
    assert site.builder.built(site.commits[0]) is None
    site.worktrees.close()


def test_the_worktree_that_was_used_longest_ago_makes_room(folder: Path) -> None:
    site = Site(folder, commits=KEPT_TREES + 1)
    for commit in site.commits[:KEPT_TREES]:
        site.builder.build(commit)
    assert site.builder.built(site.commits[0]) is not None  # used again: the second one is the oldest now
    site.builder.build(site.commits[KEPT_TREES])
    assert site.builder.built(site.commits[0]) is not None
    assert site.builder.built(site.commits[1]) is None
    site.worktrees.close()


def test_a_failing_set_up_is_tried_twice_in_a_clean_worktree(folder: Path) -> None:
    trace = folder / "trace"
    site = Site(
        folder, "sh", "-c", f"ls > here; cat here >> {trace}; echo once >> {trace}; touch junk; exit 4"
    )
    built = site.builder.build(site.commits[0])
    assert (built.outcome, built.tree, built.detail) == (Outcome.BUILD_FAILED, None, "exit code 4")
    text = trace.read_text()
    assert text.count("once") == 2
    assert "junk" not in text
    assert site.builder.built(site.commits[0]) is None
    site.worktrees.close()


@pytest.mark.parametrize(
    "command",
    [
        "yes | head -c 50000000; exit 3",
        "kill -9 $$",
        "mkdir deep; touch deep/file; chmod 000 deep; exit 1",
        "rm -rf .git; ln -s / .git; exit 1",
    ],
    ids=["floods", "dies", "locks folders", "links its repository away"],
)
def test_whatever_a_set_up_does_the_next_commit_is_built(folder: Path, command: str) -> None:
    site = Site(folder, "sh", "-c", f"grep -q 0 a.txt || exit 0; {command}")
    assert site.builder.build(site.commits[0]).outcome is Outcome.BUILD_FAILED
    built = site.builder.build(site.commits[1])
    assert built.tree is not None
    assert (built.tree / "a.txt").read_text() == "1\n"
    site.worktrees.close()
    assert not site.worktrees.folder.exists()


def test_a_set_up_sees_no_token_and_an_empty_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    seen = folder / "seen"
    site = Site(folder, "sh", "-c", f'env > "{seen}"; ls -A "$HOME" >> "{seen}"')
    site.builder.build(site.commits[0])
    assert "s3cret" not in seen.read_text()
    assert [name for name in seen.read_text().splitlines() if "=" not in name] == []  # nothing in the home
    site.worktrees.close()


def test_a_set_up_that_fails_once_counts_as_one_good_build(folder: Path) -> None:
    flag = folder / "flag"
    site = Site(folder, "sh", "-c", f"test -e {flag} || {{ touch {flag}; exit 1; }}")
    assert site.builder.build(site.commits[0]).outcome is Outcome.MEASURED
    site.worktrees.close()


def test_a_set_up_that_hangs_is_a_time_out(folder: Path) -> None:
    site = Site(folder, "sleep", "600", seconds=0.3)
    built = site.builder.build(site.commits[0])
    assert built.outcome is Outcome.TIMED_OUT
    assert "did not end within" in built.detail
    site.worktrees.close()


def test_a_full_disk_is_said_before_the_build_and_is_no_fault_of_the_commit(folder: Path) -> None:
    site = Site(folder, "false")
    site.free = [MIN_FREE - 1]
    with pytest.raises(UsageError, match="the disk is nearly full, 255 MB are left"):
        site.builder.build(site.commits[0])
    site.free = [1 << 40, MIN_FREE - 1, MIN_FREE - 1]  # full only once the set-up has failed
    with pytest.raises(UsageError, match="nearly full"):
        site.builder.build(site.commits[0])
    site.worktrees.close()


def test_idle_worktrees_go_before_the_disk_is_called_full(folder: Path) -> None:
    site = Site(folder)
    tree = site.builder.build(site.commits[0]).tree
    assert tree is not None
    site.free = [MIN_FREE - 1, MIN_FREE, MIN_FREE]
    site.builder.check_space()
    assert not tree.exists()
    assert site.builder.built(site.commits[0]) is None
    site.worktrees.close()


def test_a_worktree_that_is_gone_is_made_anew(folder: Path) -> None:
    site = Site(folder, commits=2)
    tree = site.builder.build(site.commits[0]).tree
    assert tree is not None
    site.builder.forget(site.commits[0])
    (tree / "a.txt").unlink()
    entry = site.world.mirror.repository / "worktrees" / tree.name
    (entry / "HEAD").write_text("nonsense")
    again = site.builder.build(site.commits[0])
    assert again.tree is not None
    assert (again.tree / "a.txt").read_text() == "0\n"
    site.worktrees.close()


def test_a_stopped_builder_begins_nothing(folder: Path) -> None:
    site = Site(folder)
    site.builder.stop()
    with pytest.raises(UsageError, match="interrupted"):
        site.builder.build(site.commits[0])
    site.builder.start()
    assert site.builder.build(site.commits[0]).tree is not None
    site.worktrees.close()
