from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from perfgate.bisection.owner import Owner, kill_marked, parse_owner, this_process

LINUX = pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system shows no processes in /proc")


def test_an_owner_reads_back_from_its_text() -> None:
    owner = this_process()
    assert parse_owner(str(owner)) == owner


@pytest.mark.parametrize("text", ["", "initializing", "perfgate host boot x start token", "other a b 1 c d"])
def test_other_texts_are_no_owner(text: str) -> None:
    assert parse_owner(text) is None


def test_the_running_process_is_alive() -> None:
    assert not this_process().is_dead


@LINUX
def test_a_process_that_has_ended_is_dead_also_when_its_number_was_given_again() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    assert replace(this_process(), pid=child.pid).is_dead
    assert replace(this_process(), start="1").is_dead  # this number, another start time
    assert replace(this_process(), boot="an earlier one").is_dead


def test_an_owner_of_another_machine_is_never_called_dead() -> None:
    other = Owner(host="elsewhere", boot="b", pid=1, start="s", token="t")  # noqa: S106 - no secret
    assert not other.is_dead
    assert not other.is_here


@LINUX
def test_a_mark_in_the_environment_finds_processes_that_left_their_group() -> None:
    code = "import os; os.setsid(); print('ready', flush=True); input()"
    environment = {**os.environ, "PERFGATE_TEST_MARK": "here"}
    child = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    assert kill_marked("PERFGATE_TEST_MARK", "elsewhere") == 0
    assert kill_marked("PERFGATE_TEST_MARK", "here") == 1
    child.communicate()
    assert child.returncode == -9
