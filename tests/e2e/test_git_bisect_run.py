"""`perfgate check --bisect-exit` as the command of a real `git bisect run`."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.bisect_world import BENCHMARK, SUITE, World, script
from tests.e2e.bisect_command import PERFGATE, Bisection
from tests.e2e.project import Result
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Six commits, of which one has no benchmark; the end points are recorded."""
    folder = tmp_path_factory.mktemp("run")
    history = History()
    first = {"perf_models.yaml": SUITE, "deploy/convert.sh": script(), ".gitignore": ".perfgate/\n"}
    good = history.commit("start", first)
    history.commit("no suite", {"perf_models.yaml": None})
    history.commit("again", {"perf_models.yaml": SUITE})
    culprit = history.commit("flip", {"deploy/convert.sh": script("NCHW")})
    bad = history.commit("more", {"src/a.py": "A = 1\n"})
    repository, marks = history.write(folder / "repository")
    found = World(repository, marks[good], marks[bad], marks[culprit])
    done = run(
        found, folder, "record", "--endpoints", found.good, found.bad, "--metric", "latency", "-k", "unet"
    )
    assert done.code == 0, done.text
    return found


def run(world: World, cache: Path, *arguments: str) -> Result:
    done = subprocess.run(
        [PERFGATE, *arguments],
        cwd=world.repository.folder,
        env=Bisection(world, cache).environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def test_gits_own_search_finds_the_commit(world: World, tmp_path: Path) -> None:
    git = world.repository.git
    git("bisect", "start", world.bad, world.good)
    try:
        done = subprocess.run(
            ["git", "bisect", "run", PERFGATE, "check", "--bisect-exit", "-b", BENCHMARK],
            cwd=world.repository.folder,
            env=Bisection(world, tmp_path).environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"{world.culprit} is the first bad commit" in done.stdout, done.stdout + done.stderr
        assert git("rev-parse", "refs/bisect/bad") == world.culprit
    finally:
        git("bisect", "reset")


@pytest.mark.parametrize(
    ("revision", "code", "words"),
    [
        ("main~4", 0, "good: P(bad) 0.000"),
        ("main", 1, "bad: P(bad) 1.000"),
        ("main~3", 125, "the benchmark is missing"),
    ],
    ids=["good", "bad", "missing"],
)
def test_each_commit_gets_one_line_and_gits_code(
    world: World, tmp_path: Path, revision: str, code: int, words: str
) -> None:
    world.repository.git("checkout", "-q", "--detach", revision)
    done = run(world, tmp_path, "check", "--bisect-exit")
    assert done.code == code, done.text
    assert words in done.out
    assert len(done.out.splitlines()) == 1


def test_a_broken_set_up_makes_git_stop(world: World, tmp_path: Path) -> None:
    absent = run(world, tmp_path, "check", "--bisect-exit", "--against-record", "absent.json")
    other = run(world, tmp_path, "check", "--bisect-exit", "-b", "another[device]")
    assert (absent.code, other.code) == (128, 128)
    assert "record --endpoints" in absent.out


def test_ends_that_are_alike_are_no_end_points(world: World, tmp_path: Path) -> None:
    first, third = (world.repository.git("rev-parse", f"main~{back}") for back in (4, 2))
    done = run(
        world, tmp_path, "record", "--endpoints", first, third, "--metric", "cycles", "-o", str(tmp_path)
    )
    assert done.code == 2
    assert "does not tell the two ends apart" in done.err
