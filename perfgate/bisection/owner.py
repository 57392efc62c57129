"""Who owns a worktree or a lock: one process on one machine in one boot, and what it has started.

A process id alone is used again after a crash. Host, boot id and start time make it unique, and a token in
the environment of every child finds what a dead owner has left running, whatever group it moved to.
"""

from __future__ import annotations

import os
import platform
import secrets
import signal
from dataclasses import dataclass
from pathlib import Path

RUN_VARIABLE = "PERFGATE_BISECT_RUN"  # the owner's token, in the environment of all that it starts
CHILD_VARIABLE = "PERFGATE_BISECT_CHILD"  # one child and what it starts
_PROCESSES = Path("/proc")
_WORD = "perfgate"
_FIELDS = 6
_START_FIELD = 19  # of /proc/PID/stat after the name, in clock ticks since boot; proc(5), field 22
_DEAD = frozenset({"Z", "X"})


@dataclass(frozen=True, slots=True)
class Owner:
    """A process; `token` marks its children."""

    host: str
    boot: str
    pid: int
    start: str
    token: str

    def __str__(self) -> str:
        return f"{_WORD} {self.host} {self.boot} {self.pid} {self.start} {self.token}"

    @property
    def is_here(self) -> bool:
        """Of this machine, so that its death can be seen."""
        return self.host == _host()

    @property
    def is_dead(self) -> bool:
        """Certainly gone: of this machine, and of an earlier boot or no longer running. Never a guess."""
        return self.is_here and (self.boot != _boot() or _start(self.pid) != self.start)


def this_process() -> Owner:
    """The owner that stands for the running process, with a new token."""
    pid = os.getpid()
    return Owner(host=_host(), boot=_boot(), pid=pid, start=_start(pid), token=secrets.token_hex(8))


def parse_owner(text: str) -> Owner | None:
    """The owner out of its text; None for anything else, such as git's own `initializing`."""
    words = text.split()
    if len(words) != _FIELDS or words[0] != _WORD or not words[3].isdecimal():
        return None
    return Owner(host=words[1], boot=words[2], pid=int(words[3]), start=words[4], token=words[5])


def kill_marked(variable: str, value: str) -> int:
    """Kill every process with this variable of ours in its environment; how many there were.

    Repeated until none is left, because a process may fork while the list is read. Where the system shows no
    environments the groups of our children are all that is killed.
    """
    mark = f"{variable}={value}".encode()
    killed: set[int] = set()
    for _ in range(50):  # a fork bomb that outruns us is stopped by its own limits
        found = [pid for pid in _others() if _carries(pid, mark)]
        if not found:
            break
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
            killed.add(pid)
    return len(killed)


def _others() -> list[int]:
    try:
        names = [path.name for path in _PROCESSES.iterdir()]
    except OSError:
        return []
    return [int(name) for name in names if name.isdecimal() and int(name) != os.getpid()]


def _carries(pid: int, mark: bytes) -> bool:
    try:
        variables = (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return mark in variables and bool(_start(pid))


def _host() -> str:
    return platform.node().replace(" ", "-") or "unknown"


def _boot() -> str:
    try:
        return (_PROCESSES / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


def _start(pid: int) -> str:
    """When the process started, as the system counts; "" when it is gone or only waits to be reaped."""
    try:
        stat = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "" if _PROCESSES.is_dir() or not _runs(pid) else "unknown"
    fields = stat.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    return "" if fields[0] in _DEAD else fields[_START_FIELD]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
