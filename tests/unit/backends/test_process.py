from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfgate.backends.process import Finished, on_one_line, run_bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

LONG = 60.0  # seconds that no test waits: what ends a process here is the code under test
HANGS = "import time; time.sleep(600)"


def run(
    code: str, *, seconds: float = LONG, kept: int = 1000, more: Mapping[str, str] | None = None
) -> Finished:
    return run_bounded(
        [sys.executable, "-c", code],
        folder=Path.cwd(),
        environment={**os.environ, **(more or {})},
        seconds=seconds,
        kept=kept,
    )


def finished(code: int | None = 0, out: bytes = b"", err: bytes = b"") -> Finished:
    return Finished(code=code, stdout=out, stderr=err, is_cut=False, seconds=2.0)


def is_running(pid: int) -> bool:
    """A zombie, which waits for its parent to read its end, runs no more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_both_streams_and_the_exit_code_are_kept() -> None:
    done = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (done.code, done.stdout, done.stderr, done.is_cut) == (3, b"out\n", b"err\n", False)
    assert done.seconds > 0
    assert done.cpu_seconds > 0


def test_a_process_that_hangs_is_ended_at_its_time() -> None:
    done = run(f"print('started', flush=True); {HANGS}", seconds=0.5)
    assert done.code is None
    assert done.ending.startswith("was ended after 0.5")


def test_a_process_that_closes_its_output_and_hangs_is_ended() -> None:
    assert run(f"import os; os.close(1); os.close(2); {HANGS}", seconds=0.5).code is None


def test_a_process_that_closes_its_output_is_waited_for() -> None:
    done = run("import os; os.close(1); os.close(2); sum(range(10**6)); os._exit(5)")
    assert done.code == 5


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc whether a process runs")
@pytest.mark.parametrize("seconds", [LONG, 1.5], ids=["ends", "hangs"])
def test_grandchildren_end_with_the_process(seconds: float) -> None:
    code = (
        "import os, subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {HANGS!r}])\n"
        "print(child.pid, flush=True)\n"
    )
    done = run(code if seconds == LONG else f"{code}\n{HANGS}", seconds=seconds)
    assert (done.code is None) == (seconds != LONG)
    until = time.monotonic() + LONG  # a signal is on its way, not yet obeyed, when it has been sent
    while is_running(int(done.stdout)):
        assert time.monotonic() < until


def test_what_a_grandchild_keeps_open_is_not_waited_for() -> None:
    """It left the group, so it is not ended; its pipes are given up after the grace."""
    child = "if os.fork() == 0:\n    os.setsid()\n    time.sleep(3)\n    os._exit(0)\n"
    done = run(f"import os, time\n{child}print('done')")
    assert (done.code, done.stdout) == (0, b"done\n")


def test_megabytes_of_output_are_read_and_cut() -> None:
    done = run("import sys\nfor _ in range(3000): sys.stdout.write('x' * 1000)\nsys.stderr.write('end')")
    assert (done.code, len(done.stdout), done.is_cut, done.stderr) == (0, 1000, True, b"end")


def test_output_that_just_fits_is_not_cut() -> None:
    assert not run("print('x' * 999)").is_cut


def test_there_is_no_standard_input() -> None:
    assert "EOFError" in run("input()").last_words


def test_the_environment_is_the_one_given() -> None:
    assert run("import os; print(os.environ['A'])", more={"A": "b"}).stdout == b"b\n"


def test_a_missing_program_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_bounded(["no-such-program"], folder=tmp_path, environment={}, seconds=LONG)


def test_systems_without_a_descriptor_see_the_end_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert run("print('out')").stdout == b"out\n"
    assert run("import os; os.close(1); os.close(2); sum(range(10**6)); os._exit(5)").code == 5
    assert run(HANGS, seconds=0.3).code is None
    assert run(f"import os; os.close(1); os.close(2); {HANGS}", seconds=0.3).code is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "ended with exit code 0"),
        (3, "ended with exit code 3"),
        (-9, "was ended by SIGKILL"),
        (-11, "was ended by SIGSEGV"),
        (-250, "was ended by signal 250"),
        (None, "was ended after 2.0 s"),
    ],
)
def test_an_ending_in_words(code: int | None, words: str) -> None:
    assert finished(code).ending == words


def test_a_real_signal_is_named() -> None:
    assert run("import os; os.kill(os.getpid(), 11)").ending == "was ended by SIGSEGV"


def test_last_words_are_the_last_line_of_stderr_else_of_stdout() -> None:
    assert finished(out=b"a\nb\n", err=b"c\n\n").last_words == "c"
    assert finished(out=b"a\nb \n", err=b" \n").last_words == "b"
    assert finished().last_words == ""
    assert len(finished(out=b"x" * 999).last_words) == 200
    assert finished(out=b"\xff!").last_words == "�!"


def test_an_account_holds_the_last_words_if_there_are_any() -> None:
    assert finished(1, err=b"no engine\n").account == "ended with exit code 1, its last words: no engine"
    assert finished(1).account == "ended with exit code 1"


def test_foreign_words_become_one_short_line() -> None:
    assert on_one_line(" a\n\tb ") == "a b"
    assert len(on_one_line("x" * 999)) == 200


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_process_over_its_memory_is_stopped_and_says_so() -> None:
    def taking(size: int) -> Finished:
        return run_bounded(
            [sys.executable, "-c", f"taken = bytearray({size}); print(len(taken))"],
            folder=Path.cwd(),
            environment=dict(os.environ),
            seconds=LONG,
            memory_limit=1 << 30,
        )

    over, under = taking(4 << 30), taking(1 << 20)
    assert (over.code, over.was_stopped) == (1, True)
    assert over.account == "ended with exit code 1, over its limit of 1.07 GB, its last words: MemoryError"
    assert (under.code, under.was_stopped, under.stdout) == (0, False, b"1048576\n")


def test_without_a_limit_the_words_of_a_process_are_only_its_words() -> None:
    assert not finished(1, err=b"MemoryError").was_stopped
    assert finished(None).was_stopped
    assert finished(-9).was_stopped
    assert not finished(3).was_stopped
