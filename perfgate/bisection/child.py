"""A command of the user's history, run with limits, a time-out, bounded output and no orphans."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.bisection import confine
from perfgate.bisection.owner import CHILD_VARIABLE, kill_marked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEPT_OUTPUT = 16_384  # bytes at the end of what a command prints; the rest is read and dropped
SPARE_CPU = 60  # seconds
_CHUNK = 65_536
_LAST_READ = 5.0  # seconds for the rest of the output once everything that could write is dead


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one command. Seconds of wall clock; bytes of memory and of one file; 0: no limit."""

    seconds: float
    memory: int = 0
    file: int = 64 << 30
    processes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended. `code` is negative for a signal; `output` is the end of both its streams."""

    code: int
    output: str
    seconds: float
    is_timed_out: bool = False

    @property
    def last_line(self) -> str:
        """What a report quotes: the last line that says something."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit code {self.code}"


def run_child(command: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits) -> Ended:
    """Run a command to its end, or to its time-out, and leave nothing of it running.

    A process that left the group is found by a mark in its environment, which is the child's own. A command
    that cannot be started ends with 127.
    """
    mark = secrets.token_hex(8)
    words = [sys.executable, "-I", "-S", str(Path(confine.__file__).resolve()), str(os.getpid())]
    # Several threads may count CPU time at once, so that limit is a last resort behind the wall clock.
    cpu = int(limits.seconds * (os.cpu_count() or 1)) + SPARE_CPU
    words += [str(number) for number in (cpu, limits.memory, limits.file, limits.processes)]
    started = time.monotonic()
    process = subprocess.Popen(  # noqa: S603 - an argument list without a shell
        [*words, *command],
        cwd=folder,
        env={**environment, CHILD_VARIABLE: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    tail = _Tail(process)
    is_timed_out = False
    try:
        process.wait(timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        is_timed_out = True
    finally:
        seconds = time.monotonic() - started
        _end(process, mark)
        output = tail.text()
    return Ended(code=process.returncode, output=output, seconds=seconds, is_timed_out=is_timed_out)


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    with contextlib.suppress(
        ProcessLookupError, PermissionError
    ):  # macOS: a group of zombies may not be killed
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kill_marked(CHILD_VARIABLE, mark)


class _Tail:
    """Reads a pipe to its end in a thread and keeps the last bytes: a flood neither blocks nor grows."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 - asked for in `run_child`
        self._pipe = process.stdout
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while chunk := os.read(self._pipe.fileno(), _CHUNK):
            self._kept = (self._kept + chunk)[-KEPT_OUTPUT:]

    def text(self) -> str:
        self._thread.join(_LAST_READ)
        if not self._thread.is_alive():
            self._pipe.close()
        return self._kept.decode("utf-8", "replace")
