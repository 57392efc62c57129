"""Stopped bisections: the repository as it was, nothing left over, no sample paid for twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.bisect_world import World, short_history
from tests.e2e.bisect_command import Bisection, culprits
from tests.repository_state import running, state_of

if TYPE_CHECKING:
    from pathlib import Path

KILLS = int(os.environ.get("PERFGATE_KILLS", "2"))  # `make kills` takes a hundred
SEED = int(os.environ.get("PERFGATE_KILL_SEED", "8"))
LONGEST = 6.0  # seconds; about as long as an undisturbed run


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return short_history(tmp_path_factory.mktemp("killed") / "repository", untidy=True)


def journal_lines(cache: Path) -> int:
    """Outcomes in the journals."""
    files = (cache / "bisect").glob("*/journals/*.jsonl")
    return sum(len(path.read_bytes().splitlines()) - 1 for path in files)


@pytest.mark.parametrize("number", range(KILLS))
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_a_run_that_is_stopped_at_any_moment_leaves_nothing_and_can_be_taken_up(
    world: World, tmp_path: Path, how: signal.Signals, number: int
) -> None:
    bisection = Bisection(world, tmp_path / "cache")
    before = state_of(world.repository.folder)
    moment = random.Random(f"{SEED} {how} {number}").uniform(0.0, LONGEST)  # noqa: S311 - a seeded moment
    process = subprocess.Popen(
        bisection.command(),
        cwd=world.repository.folder,
        env=bisection.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    process.stderr.readline()  # the notice: from here on signals are perfgate's, not the interpreter's
    try:
        out, err = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert state_of(world.repository.folder) == before
    if how is signal.SIGINT:
        assert process.returncode in {0, 130}, out + err
        assert bisection.left_behind() == []
        assert running(str(tmp_path)) == []
        assert "Traceback" not in err
    paid = journal_lines(bisection.cache)
    done = bisection.run(*(["--resume"] if paid else []), "--json", "-")
    assert done.code == 0, f"after {moment:.1f} s: {done.text}"
    (report,) = json.loads(done.out)["results"]
    assert culprits(report) == [world.culprit]
    assert report["replayed"] >= paid
    assert state_of(world.repository.folder) == before
    assert bisection.left_behind() == []
    assert running(str(tmp_path)) == []


def test_sigterm_ends_with_143_and_says_how_to_go_on(world: World, tmp_path: Path) -> None:
    bisection = Bisection(world, tmp_path / "cache")
    process = subprocess.Popen(
        bisection.command(),
        cwd=world.repository.folder,
        env=bisection.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while journal_lines(bisection.cache) < 2 and process.poll() is None:
        time.sleep(0.05)  # waits for an event in another process, not for a time to pass
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143, out + err
    assert "--resume" in out
    assert "commits left" in out
    assert bisection.left_behind() == []
