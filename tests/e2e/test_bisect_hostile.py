"""Input that wants to do harm, or just goes wrong: bounded, reported, nothing of the user's touched."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.bisect_world import SUITE, World, script, short_history
from tests.e2e.bisect_command import Bisection, culprits
from tests.repository_state import running, state_of
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Result


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return short_history(tmp_path_factory.mktemp("hostile") / "repository", commits=6, flip_at=3)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize(
    "revision", ["--output=x", "-x", "", "a\nb", "HEAD:perf_models.yaml", "no/such", "HEAD^{tree}"]
)
@pytest.mark.parametrize("option", ["--good", "--bad"])
def test_a_revision_that_is_none_ends_in_one_line(
    world: World, cache: Path, revision: str, option: str
) -> None:
    other = ["--bad", world.bad] if option == "--good" else ["--good", world.good]
    before = state_of(world.repository.folder)
    done = Bisection(world, cache).run(f"{option}={revision}", *other, "--dry-run")
    assert done.code == 2, done.text
    assert "is no commit here" in done.err
    assert len(done.err.splitlines()) == 1
    assert state_of(world.repository.folder) == before


@pytest.mark.parametrize(
    ("good", "bad", "hint"),
    [
        ("{bad}", "{good}", "swap them"),
        ("{good}", "{good}", "name an older commit"),
    ],
)
def test_ends_that_make_no_range_are_refused_with_a_hint(
    world: World, cache: Path, good: str, bad: str, hint: str
) -> None:
    names = {"good": world.good, "bad": world.bad}
    done = Bisection(world, cache).run("--good", good.format(**names), "--bad", bad.format(**names))
    assert done.code == 2
    assert hint in done.err


def test_a_branch_and_a_file_of_one_name_are_told_apart(tmp_path: Path, cache: Path) -> None:
    world = short_history(tmp_path / "repository", commits=4, flip_at=2)
    world.repository.git("branch", "deploy", world.bad)
    done = Bisection(world, cache).run("--bad", "deploy", "--dry-run")
    assert done.code == 0, done.text
    assert "3 commits" in done.out


def test_hooks_filters_and_configuration_of_the_repository_never_run(tmp_path: Path, cache: Path) -> None:
    history = History()
    trap = tmp_path / "trap"
    attributes = "* filter=evil diff=evil\n"
    start = {"perf_models.yaml": SUITE, "deploy/convert.sh": script(), ".gitattributes": attributes}
    good = history.commit("start", start)
    culprit = history.commit(
        b"caf\xe9 \x1b[31mred", {"deploy/convert.sh": script("NCHW"), "caf\udce9.txt": "x"}
    )
    bad = history.commit("more", {"src/a.py": "A = 1\n"})
    repository, marks = history.write(tmp_path / "repository")
    for hook in ("post-checkout", "post-merge", "reference-transaction", "pre-auto-gc", "post-index-change"):
        path = repository.folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {hook} >> {trap}\n")
        path.chmod(0o755)
    for key, value in {
        "filter.evil.smudge": f"sh -c 'echo smudge >> {trap}; cat'",
        "filter.evil.clean": f"sh -c 'echo clean >> {trap}; cat'",
        "core.fsmonitor": f"sh -c 'echo fsmonitor >> {trap}'",
        "core.sshCommand": f"sh -c 'echo ssh >> {trap}'",
        "uploadpack.packObjectsHook": f"sh -c 'echo pack >> {trap}'",
        "core.pager": f"sh -c 'echo pager >> {trap}'",
    }.items():
        repository.git("config", key, value)
    world = World(repository, marks[good], marks[bad], marks[culprit])
    before = state_of(repository.folder)
    hook_environment = {
        "GIT_DIR": "/nonexistent",
        "GIT_INDEX_FILE": "/nonexistent/index",
        "GIT_WORK_TREE": "/",
    }
    done = Bisection(world, cache).run("--bad", marks[bad], **hook_environment)
    assert done.code == 0, done.text
    assert marks[culprit][:7] in done.out
    assert "\x1b" not in done.out
    assert not trap.exists(), trap.read_text()
    assert state_of(repository.folder) == before


def behaving(folder: Path, build: str) -> World:
    """A repository whose build script misbehaves in the middle commit; the culprit comes after it."""
    history = History()
    fine = "exit 0\n"
    good = history.commit(
        "start", {"perf_models.yaml": SUITE, "deploy/convert.sh": script(), "build.sh": fine}
    )
    history.commit("break the build", {"build.sh": build})
    culprit = history.commit(
        "mend it, flip the flag", {"build.sh": fine, "deploy/convert.sh": script("NCHW")}
    )
    bad = history.commit("more", {"src/a.py": "A = 1\n"})
    repository, marks = history.write(folder)
    return World(repository, marks[good], marks[bad], marks[culprit])


@pytest.mark.parametrize(
    ("build", "outcome"),
    [
        ("(setsid sleep 600 &) ; sleep 600 & sleep 600\n", "timed out"),
        ("rm -rf .git ; echo 'gitdir: /' > .git ; exit 1\n", "build failed"),
    ],
    ids=["hangs and leaves its group", "damages its worktree"],
)
def test_a_build_that_misbehaves_is_one_failed_commit(tmp_path: Path, build: str, outcome: str) -> None:
    world = behaving(tmp_path / "repository", build)
    before = state_of(world.repository.folder)
    bisection = Bisection(world, tmp_path / "cache")
    report = bisection.report("--setup", "sh build.sh", "--setup-timeout", "3")
    outcomes = {item["commit"]["subject"]: item["outcome"] for item in report["answer"]["evidence"]}
    assert outcomes["break the build"] == outcome
    assert report["exit_code"] == 0
    suspects = [item["commit"] for item in report["findings"][0]["culprit"]["suspects"]]
    assert world.culprit in suspects
    assert len(suspects) == 2  # the commit that cannot be built stays one of two
    assert running(str(tmp_path)) == []
    assert bisection.left_behind() == []
    assert state_of(world.repository.folder) == before


def test_a_link_in_a_commit_leads_no_file_out_of_its_worktree(tmp_path: Path) -> None:
    """An old commit has a link where the benchmark's files go: into the user's repository."""
    folder = tmp_path / "repository"
    history = History()
    good = history.commit(
        "start",
        {"perf/perf_models.yaml": SUITE.replace("deploy", "../deploy"), "deploy/convert.sh": script()},
    )
    history.commit("a link", {"perf/perf_models.yaml": None}, links={"perf": str(folder / "src")})
    culprit = history.commit(
        "flip",
        {
            "perf": None,
            "perf/perf_models.yaml": SUITE.replace("deploy", "../deploy"),
            "deploy/convert.sh": script("NCHW"),
        },
    )
    bad = history.commit("more", {"src/a.py": "A = 1\n"})
    repository, marks = history.write(folder)
    world = World(repository, marks[good], marks[bad], marks[culprit])
    before = state_of(folder)
    report = Bisection(world, tmp_path / "cache").report()
    assert culprits(report) == [marks[culprit]]
    assert state_of(folder) == before


def test_an_unreadable_mirror_is_reported_with_its_remedy(world: World, tmp_path: Path) -> None:
    bisection = Bisection(world, tmp_path / "cache")
    assert bisection.run("--dry-run").code == 0
    (mirror,) = (tmp_path / "cache" / "bisect").glob("*/mirror.git")
    (mirror / "HEAD").unlink()
    done = bisection.run("--dry-run")
    assert done.code == 12
    assert "cache prune --all" in done.err
    shutil.rmtree(tmp_path / "cache" / "bisect")
    assert bisection.run("--dry-run").code == 0


def test_a_cache_folder_that_cannot_be_made_is_a_usage_error(world: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = Bisection(world, tmp_path / "file").run("--dry-run")
    assert done.code == 2
    assert "cache folder" in done.err


def test_a_job_with_secrets_and_a_foreign_branch_is_refused(world: World, cache: Path) -> None:
    done = Bisection(world, cache).run(GITHUB_EVENT_NAME="pull_request_target")
    assert done.code == 2
    assert "--trust-history" in done.err


def report_id(done: Result) -> str:
    """The id of the journal, as the closing line tells it."""
    return done.out.strip().rpartition(" ")[2]


def test_a_second_run_of_the_same_search_says_who_holds_it(world: World, cache: Path) -> None:
    import filelock  # noqa: PLC0415 - only here

    bisection = Bisection(world, cache)
    done = bisection.run()
    assert done.code == 0, done.text
    lock = next((cache / "bisect").glob(f"*/journals/{report_id(done)}.lock"))
    with filelock.FileLock(lock):
        second = bisection.run()
    assert second.code == 2
    assert "is bisecting the same range" in second.err


def test_the_json_report_names_its_schema(world: World, cache: Path) -> None:
    done = Bisection(world, cache).run("--json", "-")
    (report,) = json.loads(done.out)["results"]
    (step,) = report["findings"][0]["settings"]
    assert step == {
        "name": "--optypelayout",
        "before": "NHWC",
        "now": "NCHW",
        "place_before": "deploy/convert.sh:5:5",
        "place_now": "deploy/convert.sh:5:5",
    }
