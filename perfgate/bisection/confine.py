"""Run as a script: limit this process, tie its life to the parent's, then become the given command.

    python -I -S confine.py PARENT CPU_SECONDS MEMORY_BYTES FILE_BYTES PROCESSES COMMAND...

Its own program rather than `preexec_fn`, which may dead-lock in a process with threads. Needs nothing but the
standard library and imports nothing of perfgate. A limit of 0 is none.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

PARENT_DEATH = 1  # prctl(2), PR_SET_PDEATHSIG
CANNOT_START = 127  # what a shell answers for a command that it does not find


def main(arguments: list[str]) -> int:
    """Limit, then replace this process; returns only when the command cannot be started."""
    parent, cpu, memory, file, processes = map(int, arguments[:5])
    command = arguments[5:]
    tie_to_parent()
    if os.getppid() != parent:  # it died before we were tied to it
        return CANNOT_START
    limit(cpu, memory, file, processes)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the user's own command, without a shell
    except OSError as problem:
        sys.stderr.write(f"cannot start {command[0]}: {problem.strerror}\n")
    return CANNOT_START


def tie_to_parent() -> None:
    """Ask the kernel to kill us when the parent dies, where it can."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - 10 ms, and only there

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(PARENT_DEATH, signal.SIGKILL, 0, 0, 0)


def limit(cpu: int, memory: int, file: int, processes: int) -> None:
    """Set the limits that the system knows and that are not tighter already."""
    import resource  # noqa: PLC0415 - not on every system

    wanted = [
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_CORE, -1),
    ]
    if hasattr(resource, "RLIMIT_NPROC"):
        wanted.append((resource.RLIMIT_NPROC, processes))
    for name, value in wanted:
        if not value:
            continue
        ours = max(value, 0)
        hard = resource.getrlimit(name)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(
                name, (ours, ours) if hard == resource.RLIM_INFINITY else (min(ours, hard), hard)
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
