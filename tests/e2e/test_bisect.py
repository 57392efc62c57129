"""Bisecting scripted repositories by the real command: who is named, and what is left as it was."""

from __future__ import annotations

import json
import math
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.bisect_world import (
    BENCHMARK,
    BROKEN,
    SUITE,
    World,
    long_history,
    make_untidy,
    script,
    short_history,
)
from tests.e2e.bisect_command import Bisection, culprits
from tests.repositories import clean_environment
from tests.repository_state import running, state_of
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def long_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = long_history(tmp_path_factory.mktemp("long") / "repository")
    make_untidy(world.repository)
    return world


@pytest.mark.parametrize("arguments", [(), ("--metric", "latency")], ids=["exact", "sampled"])
def test_one_flag_among_300_commits_is_named_with_its_place(
    long_world: World, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Merges, a renamed script, reverts, 5 % broken builds; staged, changed and untracked files beside it."""
    before = state_of(long_world.repository.folder)
    bisection = Bisection(long_world, tmp_path / "cache")
    report = bisection.report("-b", "unet@ascend-310p-like", *arguments)
    assert culprits(report) == [long_world.culprit]
    (finding,) = report["findings"]
    (step,) = finding["settings"]
    assert (step["name"], step["before"], step["now"]) == ("--optypelayout", "NHWC", "NCHW")
    assert step["place_now"].startswith("deploy/convert.sh:5:")
    # Each commit is built once: 2 ends and ceil(log2 299) = 9 halvings less what the weights save.
    cost = report["cost"]
    assert cost["builds"] - cost["failed"] <= 2 + math.ceil(math.log2(299))
    assert cost["clean"] in {0, 2}  # an exact value is confirmed by rebuilding parent and culprit
    assert finding["effect"]["relative"] == pytest.approx(0.43, abs=0.03)  # 1.48 M to 2.12 M cycles
    assert state_of(long_world.repository.folder) == before
    assert bisection.left_behind() == []
    assert running(str(tmp_path)) == []


def test_the_commit_inside_of_a_merge_is_named_also_in_an_octopus(tmp_path: Path) -> None:
    history = History()
    good = base = history.commit("start", {"perf_models.yaml": SUITE, "deploy/convert.sh": script()})
    one = history.commit("one", {"src/one.py": "A = 1\n"}, parents=(base,), branch="one")
    before = history.commit("prepare", {"src/two.py": "A = 1\n"}, parents=(base,), branch="two")
    culprit = history.commit("flip", {"deploy/convert.sh": script("NCHW")}, parents=(before,), branch="two")
    tip = history.commit("after", {"src/two.py": "A = 2\n"}, parents=(culprit,), branch="two")
    main = history.commit("main", {"src/main.py": "A = 1\n"}, parents=(base,))
    merged = {"deploy/convert.sh": script("NCHW"), "src/one.py": "A = 1\n", "src/two.py": "A = 2\n"}
    octopus = history.commit("octopus", merged, parents=(main, one, tip))
    bad = history.commit("more", {"src/main.py": "A = 2\n"}, parents=(octopus,))
    repository, marks = history.write(tmp_path / "repository")
    world = World(repository, marks[good], marks[bad], marks[culprit])
    bisection = Bisection(world, tmp_path / "cache")
    report = bisection.report()
    assert culprits(report) == [marks[culprit]]
    assert [item["commit"] for item in report["findings"][0]["merges"]] == [marks[octopus]]
    plain = bisection.report("--no-descend")
    assert culprits(plain) == [marks[octopus]]


def test_a_merge_that_makes_the_change_itself_is_named(tmp_path: Path) -> None:
    history = History()
    good = base = history.commit("start", {"perf_models.yaml": SUITE, "deploy/convert.sh": script()})
    side = history.commit("side", {"src/side.py": "A = 1\n"}, parents=(base,), branch="side")
    main = history.commit("main", {"src/main.py": "A = 1\n"}, parents=(base,))
    evil = history.commit(
        "merge", {"deploy/convert.sh": script("NCHW"), "src/side.py": "A = 1\n"}, parents=(main, side)
    )
    repository, marks = history.write(tmp_path / "repository")
    report = Bisection(World(repository, marks[good], marks[evil], marks[evil]), tmp_path / "cache").report()
    assert culprits(report) == [marks[evil]]
    assert "the merge itself does" in " ".join(report["notes"])


def test_a_range_of_unbuildable_commits_is_named_as_a_range(tmp_path: Path) -> None:
    history = History()
    good = history.commit("start", {"perf_models.yaml": SUITE, "deploy/convert.sh": script()})
    history.commit("break", {"deploy/convert.sh": BROKEN})
    hidden = history.commit("still broken", {"src/a.py": "A = 1\n"})
    culprit = history.commit("mend and flip", {"deploy/convert.sh": script("NCHW")})
    bad = history.commit("more", {"src/a.py": "A = 2\n"})
    repository, marks = history.write(tmp_path / "repository")
    report = Bisection(
        World(repository, marks[good], marks[bad], marks[culprit]), tmp_path / "cache"
    ).report()
    assert report["answer"]["ending"] == "range"
    suspects = [item["commit"] for item in report["findings"][0]["culprit"]["suspects"]]
    assert marks[hidden] in suspects
    assert suspects[-1] == marks[culprit]


def test_nothing_changed_names_nobody_and_exits_10(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=5, flip_at=9)
    report = Bisection(world, tmp_path / "cache").report("--metric", "latency")
    assert report["exit_code"] == 10
    assert report["findings"] == []
    assert report["cost"]["builds"] == 2


def test_the_benchmarks_file_may_be_newer_than_the_good_end_and_renamed_on_the_way(tmp_path: Path) -> None:
    """The suite of the bad end is placed over commits that have none, or one of another name."""
    history = History()
    good = history.commit("start", {"deploy/convert.sh": script()})
    history.commit("a suite", {"perf_old.yaml": SUITE, "src/a.py": "A = 1\n"})
    culprit = history.commit("flip", {"deploy/convert.sh": script("NCHW")})
    bad = history.commit("rename", {"src/a.py": "A = 2\n"}, renames={"perf_old.yaml": "perf_models.yaml"})
    repository, marks = history.write(tmp_path / "repository")
    report = Bisection(
        World(repository, marks[good], marks[bad], marks[culprit]), tmp_path / "cache"
    ).report()
    assert culprits(report) == [marks[culprit]]
    assert report["placed"] == ["perf_models.yaml"]


def test_a_good_commit_of_another_branch_gives_way_to_the_merge_base(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=4, flip_at=2)
    repository = world.repository
    repository.git("checkout", "-q", "-b", "release", world.good)
    release = repository.commit("release", {"notes.txt": "1.0\n"})
    repository.git("checkout", "-q", "main")
    report = Bisection(world, tmp_path / "cache").report("--good", release)
    assert report["good"] == world.good
    assert "no ancestor" in " ".join(report["notes"])
    assert culprits(report) == [world.culprit]


def test_uncommitted_work_can_be_the_bad_end(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=3, flip_at=9)
    folder = world.repository.folder
    world.repository.write({"deploy/convert.sh": script("NCHW"), "untracked.txt": "mine\n"})
    before = state_of(folder)
    report = Bisection(world, tmp_path / "cache").report("--bad", "WORKTREE")
    (named,) = report["findings"][0]["culprit"]["suspects"]
    assert named["subject"] == "uncommitted changes"
    assert state_of(folder) == before


def test_it_runs_in_a_linked_worktree_and_below_a_folder_with_its_own_suites(tmp_path: Path) -> None:
    history = History()
    inside = {"part/perfgate.yaml": "version: 1\n", "part/perf_models.yaml": SUITE}
    good = history.commit("start", {**inside, "part/deploy/convert.sh": script(), "README.md": "a\n"})
    culprit = history.commit("flip", {"part/deploy/convert.sh": script("NCHW")})
    bad = history.commit("more", {"README.md": "b\n"})
    repository, marks = history.write(tmp_path / "repository")
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", "--detach", str(linked), marks[bad])
    before = (state_of(repository.folder), state_of(linked))
    world = World(repository, marks[good], marks[bad], marks[culprit])
    report = Bisection(world, tmp_path / "cache", folder=linked / "part").report()
    assert culprits(report) == [marks[culprit]]
    assert (state_of(repository.folder), state_of(linked)) == before


def test_a_shallow_clone_is_deepened_in_the_mirror_only(tmp_path: Path) -> None:
    world = short_history(tmp_path / "origin", commits=5, flip_at=3)
    clone = world.repository.clone(tmp_path / "clone", "--depth=2")
    shallow = World(clone, world.good, world.bad, world.culprit)
    before = state_of(clone.folder)
    bisection = Bisection(shallow, tmp_path / "cache")
    refused = bisection.run(GITHUB_ACTIONS="true")
    assert refused.code == 2
    assert "fetch-depth: 0" in refused.err
    report = bisection.report("--fetch")
    assert culprits(report) == [world.culprit]
    assert state_of(clone.folder) == before
    assert clone.git("rev-parse", "--is-shallow-repository") == "true"


def test_submodules_stay_empty_and_changed_lock_files_are_suspects_in_words(tmp_path: Path) -> None:
    inner = short_history(tmp_path / "inner", commits=2)
    world = short_history(tmp_path / "repository", commits=4, flip_at=2)
    repository = world.repository
    repository.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        f"file://{inner.repository.folder}",
        "sub",
    )
    bad = repository.commit("a submodule and a lock", {"uv.lock": "version = 1\n"})
    report = Bisection(world, tmp_path / "cache").report("--bad", bad)
    assert culprits(report) == [world.culprit]
    notes = " ".join(report["notes"])
    assert "submodules stay empty: sub" in notes
    assert f"lock files change in {bad[:12]}" in notes
    assert "uv.lock" in report["placed"]


def test_a_second_run_costs_no_build_and_a_resumed_one_no_probe(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=5, flip_at=2)
    bisection = Bisection(world, tmp_path / "cache")
    first = bisection.report()
    again = bisection.report("--resume")
    assert (
        again["replayed"]
        == len(next((tmp_path / "cache").glob("bisect/*/journals/*.jsonl")).read_bytes().splitlines()) - 1
    )
    assert again["answer"] == first["answer"]
    other = bisection.run("--resume", "--setup", "true")
    assert other.code == 2
    assert 'set-up command was "", is "true"' in other.err
    anew = bisection.report()
    assert culprits(anew) == culprits(first)
    assert anew["cost"]["builds"] < first["cost"]["builds"]


def test_two_builders_find_the_same_commit(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=12, flip_at=7)
    bisection = Bisection(world, tmp_path / "cache")
    report = bisection.report("--jobs", "2")
    assert culprits(report) == [world.culprit]
    assert bisection.left_behind() == []


def test_a_dry_run_builds_nothing(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=4, flip_at=2)
    done = Bisection(world, tmp_path / "cache").run("--dry-run", "--setup", "make all")
    assert done.code == 0
    for words in (BENCHMARK, "3 candidates", "make all", "perf_models.yaml", "change 2"):
        assert words in done.out
    assert not list((tmp_path / "cache").glob("bisect/*/probes/*"))


def test_only_commits_that_touch_the_listed_paths_are_candidates(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=8, flip_at=5)
    report = Bisection(world, tmp_path / "cache").report("--paths", "deploy")
    assert culprits(report) == [world.culprit]
    assert len(report["answer"]["evidence"]) == 2  # the script changes once: both ends are all there is


def test_bisecting_again_after_new_commits_brings_them_into_the_mirror(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=3, flip_at=9)
    bisection = Bisection(world, tmp_path / "cache")
    assert bisection.run("--dry-run").code == 0
    flip = world.repository.commit("flip", {"deploy/convert.sh": script("NCHW")})
    assert culprits(bisection.report("--bad", flip)) == [flip]


def test_prune_removes_what_no_process_uses(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=3, flip_at=1)
    bisection = Bisection(world, tmp_path / "cache")
    assert bisection.run("--dry-run").code == 0
    command = [bisection.command()[0], "cache", "prune"]
    kept = subprocess.run(command, env=bisection.environment(), capture_output=True, text=True, check=True)
    assert "removed 0 mirrors" in kept.stdout
    gone = subprocess.run(
        [*command, "--all"], env=bisection.environment(), capture_output=True, text=True, check=True
    )
    assert "removed 1 mirrors" in gone.stdout
    assert not list((tmp_path / "cache").glob("bisect/*/mirror.git"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_repository_of_somebody_else_is_refused_with_gits_own_remedy(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=3, flip_at=1)
    for path in (world.repository.folder, world.repository.folder / ".git"):
        os.chown(path, 12345, 12345)
    bisection = Bisection(world, tmp_path / "cache")
    refused = bisection.run("--dry-run")
    assert refused.code == 2
    assert "safe.directory" in refused.err
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[safe]\n\tdirectory = {world.repository.folder}\n")
    allowed = bisection.run("--dry-run", GIT_CONFIG_GLOBAL=str(settings))
    assert allowed.code == 0, allowed.err


def test_the_commit_of_the_accepted_baseline_is_the_default_good_end(tmp_path: Path) -> None:
    world = short_history(tmp_path / "repository", commits=2, flip_at=9)
    repository = world.repository
    perfgate = Bisection(world, tmp_path / "cache").command()[0]
    subprocess.run(
        [perfgate, "baseline", "update", "--reason", "first"],
        cwd=repository.folder,
        env=clean_environment(),
        check=True,
        capture_output=True,
    )
    repository.commit("accept")
    flip = repository.commit("flip", {"deploy/convert.sh": script("NCHW")})
    done = subprocess.run(
        [perfgate, "bisect", "--bad", "HEAD", "--json", "-"],
        cwd=repository.folder,
        env=clean_environment(PERFGATE_CACHE=str(tmp_path / "cache")),
        capture_output=True,
        text=True,
        check=False,
    )
    (report,) = json.loads(done.stdout)["results"]
    assert culprits(report) == [flip]
    assert report["good"] == world.bad
