"""Also tests `confine`, the script through which every child is started."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from perfgate.bisection import confine
from perfgate.bisection.child import KEPT_OUTPUT, Limits, run_child
from tests.repository_state import running

if TYPE_CHECKING:
    from pathlib import Path

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system has no death signal and no /proc")
HERE = dict(os.environ)


def run(code: str, folder: Path, *, seconds: float = 30, **limits: int) -> tuple[int, str, bool]:
    command = [sys.executable, "-I", "-S", "-c", code]
    ended = run_child(
        command, folder, {**HERE, "TEST_FOLDER": str(folder)}, Limits(seconds=seconds, **limits)
    )
    return ended.code, ended.output, ended.is_timed_out


def test_code_and_output_are_those_of_the_command(tmp_path: Path) -> None:
    assert run("import sys; print('out'); sys.exit(3)", tmp_path) == (3, "out\n", False)


def test_it_runs_in_the_folder_without_input(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd()); print(repr(sys.stdin.read()))"
    assert run(code, tmp_path)[1] == f"{tmp_path.resolve()}\n''\n"


def test_a_command_that_does_not_exist_is_127(tmp_path: Path) -> None:
    ended = run_child(["no-such-program"], tmp_path, HERE, Limits(seconds=30))
    assert ended.code == confine.CANNOT_START
    assert ended.last_line == "cannot start no-such-program: No such file or directory"


def test_a_hanging_command_is_ended_at_its_time(tmp_path: Path) -> None:
    code, _, is_timed_out = run("input() if False else __import__('time').sleep(600)", tmp_path, seconds=0.5)
    assert (code, is_timed_out) == (-9, True)


def test_a_flood_of_output_is_cut_to_its_end(tmp_path: Path) -> None:
    code, output, _ = run("import sys; sys.stdout.write('x' * 5_000_000 + 'end')", tmp_path)
    assert code == 0
    assert len(output) == KEPT_OUTPUT
    assert output.endswith("end")


@LINUX
def test_what_a_command_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    time.sleep(600)\n"
        "print('gone', flush=True)\n"
    )
    assert run(code, tmp_path) == (0, "gone\n", False)
    assert running(f"TEST_FOLDER={tmp_path}") == []


@LINUX
def test_files_memory_and_core_dumps_are_limited(tmp_path: Path) -> None:
    big = "open('big', 'wb').write(b'x' * 2_000_000)"
    assert run(big, tmp_path, file=1_000_000)[0] != 0
    assert (tmp_path / "big").stat().st_size <= 1_000_000
    assert "MemoryError" in run("x = bytearray(1 << 30)", tmp_path, memory=1 << 29)[1]
    assert run("import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[0])", tmp_path)[1] == "0\n"


@LINUX
def test_a_child_whose_parent_is_gone_does_not_start(capfd: pytest.CaptureFixture[str]) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(confine.main(["1", "0", "0", "0", "0", "echo", "started"]))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == confine.CANNOT_START
    assert capfd.readouterr().out == ""
