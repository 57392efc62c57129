"""Runs a command in a fork of `command_server.py` where an interpreter's own start makes no difference."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.repositories import clean_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVER = Path(__file__).with_name("command_server.py")
# Read by the interpreter when it starts, or by GitPython when it is imported: a fork has them too late.
EARLY = ("PYTHON", "LC_", "LANG", "PATH")
# `make downstream` sets the first; the others are coverage's, which begins with the interpreter.
COLD = frozenset({"PERFGATE_COLD_START", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"})


def early(environment: Mapping[str, str]) -> dict[str, str]:
    """Those variables that have to be there from the start."""
    return {name: value for name, value in environment.items() if name.startswith(EARLY)}


AT_START = early(os.environ)


def run_command(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """`perfgate ...` or `pytest ...` to its end, with its output as text."""
    if early(environment) == AT_START and not COLD & os.environ.keys():
        return _run_warm(words, folder, environment, seconds)
    return subprocess.run(
        words,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=seconds,
    )


def _run_warm(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as place:
        out, err = Path(place, "out"), Path(place, "err")
        request = {"words": list(words), "folder": str(folder), "environment": dict(environment)}
        line = json.dumps({**request, "out": str(out), "err": str(err)})
        code = _answer(line.encode() + b"\n", words, seconds)
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in (out, err)]
        return subprocess.CompletedProcess(words, code, *texts)


def _answer(request: bytes, words: Sequence[str], seconds: float) -> int:
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(request)
    server.stdin.flush()
    if not select.select([server.stdout], [], [], seconds)[0]:
        os.killpg(server.pid, signal.SIGKILL)  # with the command
        _end(server)
        _server.cache_clear()
        raise subprocess.TimeoutExpired(list(words), seconds)
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[bytes]:
    server = subprocess.Popen(
        [sys.executable, str(SERVER)],
        env=clean_environment(OPENBLAS_NUM_THREADS="1"),  # a process with threads cannot be forked safely
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[bytes]) -> None:
    """It ends when nobody can ask it any more."""
    with server:
        pass
