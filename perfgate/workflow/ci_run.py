"""The gate as one step of a GitHub job: fenced from the runner, with files that later steps read."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.codec import readable_json
from perfgate.core.errors import ExitCode
from perfgate.report.check_report import decode_check_report, verdict_of
from perfgate.workflow.ci_records import ORIGIN, RECORDS, REPORT, Origin
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import IO

DRAIN_SECONDS = 5.0  # for what a process left in the pipe; one that lives on is not listened to any longer
READER = "perfgate-output"  # name of the thread
# Files and tokens by which a step talks to its job; the measured code has no business with them.
_WITHHELD = frozenset(
    {
        "GITHUB_ENV",
        "GITHUB_OUTPUT",
        "GITHUB_PATH",
        "GITHUB_STATE",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "ACTIONS_RUNTIME_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    """A finished gate step: the code of the gate, its verdict in a word, the path of its JSON report."""

    exit_code: int
    verdict: str
    report: Path


def run_step(
    folder: Path,
    arguments: Sequence[str],
    base: str,
    environment: Mapping[str, str],
    write: Callable[[bytes], object],
) -> StepRun:
    """Run `pytest --perfgate` with the arguments; origin, report and records end up below the folder.

    What an earlier call left in the folder is removed first: a stale report would be believed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    write_text_file(folder / ORIGIN, readable_json(origin_of(environment)))
    report = folder / REPORT
    command = [sys.executable, "-P", "-m", "pytest", "--perfgate"]  # -P: the work tree shadows no module
    command += ["--perfgate-base", base] if base else []
    command += [*arguments, "--perfgate-json", str(report), "--perfgate-records", str(folder / RECORDS)]
    kept = {name: value for name, value in environment.items() if name not in _WITHHELD}
    code = run_fenced(command, kept, write, token=secrets.token_hex(32))
    code, word = _settled(code, report)
    return StepRun(exit_code=code, verdict=word, report=report)


def _settled(code: int, report: Path) -> tuple[int, str]:
    """Code and verdict of the step; a 0 without a green report is none (a wrapper swallowed the code)."""
    if not report.is_file():
        return code or int(ExitCode.NOTHING), "no verdict"
    decided = decode_check_report(report.read_bytes(), str(report)).exit_code
    code = code or decided
    return code, verdict_of(code)


def run_fenced(
    command: Sequence[str],
    environment: Mapping[str, str],
    write: Callable[[bytes], object],
    *,
    token: str,
    drain_seconds: float = DRAIN_SECONDS,
) -> int:
    """Run a command and pass its output on between stop marks, so that no line of it is a workflow command.

    The token is in no argument and no variable of the command's. After the end mark nothing of the command is
    passed on, even if a process of it lives on. The code is the shell's: 128 + signal for a killed one.
    """
    fence = _Fence(write)
    fence.put(f"::stop-commands::{token}\n".encode())
    process = subprocess.Popen(  # noqa: S603 - the gate itself, with arguments of the workflow's author
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    reader = threading.Thread(target=fence.copy, args=(process.stdout,), name=READER, daemon=True)
    reader.start()
    code = process.wait()
    reader.join(drain_seconds)
    fence.close(f"::{token}::\n".encode())
    return 128 - code if code < 0 else code


class _Fence:
    """Passes bytes on until it is closed; the end mark always stands on a line of its own."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._is_closed = False
        self._last = b"\n"

    def put(self, data: bytes) -> None:
        with self._lock:
            if not self._is_closed and data:
                self._write(data)
                self._last = data[-1:]

    def copy(self, stream: IO[bytes]) -> None:
        with stream:
            while data := os.read(stream.fileno(), 1 << 16):
                self.put(data)

    def close(self, mark: bytes) -> None:
        with self._lock:
            self._is_closed = True
            self._write(mark if self._last == b"\n" else b"\n" + mark)


def origin_of(environment: Mapping[str, str]) -> Origin:
    """Which change this job measures, out of its own event."""
    head = environment.get("GITHUB_SHA", "")
    try:
        with open(environment.get("GITHUB_EVENT_PATH", ""), encoding="utf-8") as file:  # noqa: PTH123 - "" must fail
            pull = json.load(file)["pull_request"]
            return Origin(pull_request=int(pull["number"]), head=str(pull["head"]["sha"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Origin(pull_request=0, head=head)  # a push, or no GitHub at all


def output_text(name: str, value: str, draw: Callable[[], str] = lambda: secrets.token_hex(16)) -> str:
    """A step output in the form of GITHUB_OUTPUT; the delimiter is drawn until the value does not hold it."""
    delimiter = draw()
    while delimiter in value:
        delimiter = draw()
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"
