"""A process with bounds: in time, in what it prints, and in what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KEPT_BYTES = 1 << 20  # of each stream; the rest is read and dropped, so that nobody blocks on a full pipe
GRACE_SECONDS = 0.5  # for the last words in the pipes, after the process has ended
_CHUNK = 1 << 16
_TICK_SECONDS = 0.05  # how late a process's end is seen when its children keep its pipes open


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a process ended. `code` is negative for a signal, None when it ran out of time.

    `stdout` and `stderr` hold the first bytes; `is_cut` says that there were more.
    """

    code: int | None
    stdout: bytes
    stderr: bytes
    is_cut: bool
    seconds: float

    @property
    def ending(self) -> str:
        """In words: `ended with exit code 3`."""
        if self.code is None:
            return f"was ended after {self.seconds:.0f} s"
        if self.code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-self.code).name}"
            return f"was ended by signal {-self.code}"
        return f"ended with exit code {self.code}"

    @property
    def last_words(self) -> str:
        """The last line that it printed on stderr, else on stdout; "" when it said nothing."""
        for stream in (self.stderr, self.stdout):
            lines = stream.decode("utf-8", errors="replace").strip().splitlines()
            if lines:
                return lines[-1].strip()[:200]
        return ""


def run_bounded(
    argv: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    kept: int = KEPT_BYTES,
) -> Finished:
    """Run a program without a shell in a process group of its own, which ends with it, whatever it started.

    Raises:
        OSError: the program cannot be started.
    """
    started = time.monotonic()
    with subprocess.Popen(  # noqa: S603 - argv of the user's own suite, no shell
        list(argv),
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            streams, is_cut, is_late = _drain(process, started + seconds, kept)
        finally:
            _end_group(process.pid)
        code = process.wait()
    return Finished(
        code=None if is_late else code,
        stdout=bytes(streams["stdout"]),
        stderr=bytes(streams["stderr"]),
        is_cut=is_cut,
        seconds=time.monotonic() - started,
    )


def _drain(
    process: subprocess.Popen[bytes], deadline: float, kept: int
) -> tuple[dict[str, bytearray], bool, bool]:
    """Read both pipes until the process ends or its time is over; what exceeds `kept` is dropped."""
    streams = {"stdout": bytearray(), "stderr": bytearray()}
    is_cut = False
    ended: float | None = None
    with selectors.DefaultSelector() as selector:
        for name in streams:
            selector.register(getattr(process, name), selectors.EVENT_READ, name)
        while selector.get_map():
            now = time.monotonic()
            if now >= deadline and ended is None:
                return streams, is_cut, True
            if ended is None and process.poll() is not None:
                ended = now
            if ended is not None and now > ended + GRACE_SECONDS:
                break  # a child of it still holds the pipes
            for key, _ in selector.select(_TICK_SECONDS):
                data = os.read(key.fd, _CHUNK)
                if not data:
                    selector.unregister(key.fileobj)
                room = kept - len(streams[key.data])
                streams[key.data] += data[: max(room, 0)]
                is_cut = is_cut or len(data) > room
        while process.poll() is None:  # it closed its pipes and goes on
            if time.monotonic() >= deadline:
                return streams, is_cut, True
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TICK_SECONDS)
    return streams, is_cut, False


def _end_group(leader: int) -> None:
    """Nothing of the group goes on; the leader may be gone already, its children not."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
