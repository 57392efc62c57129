"""A process with bounds: in time, in what it prints, and in what it leaves behind."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.core.units import readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

KEPT_BYTES = 1 << 20  # of each stream; the rest is read and dropped, so that nobody blocks on a full pipe
GRACE_SECONDS = 0.5  # for the last words in the pipes, which a process that left the group may keep open
# What C++, Python, Java, the C library and the shell say, in lower case.
NO_MEMORY = ("bad_alloc", "memoryerror", "outofmemory", "cannot allocate memory", "out of memory")
LONGEST_WORDS = 200  # characters of a process's own words in a message
_CHUNK = 1 << 16
_TICK_SECONDS = 0.05  # how late an end is seen on systems that do not tell it through a descriptor


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a process ended. `code` is negative for a signal, None when it ran out of time.

    `stdout` and `stderr` hold the first bytes; `is_cut` says that there were more. `seconds` is the wall time
    from its start to its end, `cpu_seconds` the processor time of it and of the children it waited for,
    `waited_seconds` how long its main thread waited for a processor (0 where the system does not tell).
    """

    code: int | None
    stdout: bytes
    stderr: bytes
    is_cut: bool
    seconds: float
    cpu_seconds: float = 0.0
    waited_seconds: float = 0.0
    memory_limit: int = 0

    @property
    def was_stopped(self) -> bool:
        """It did not end by itself: out of time or of its memory, or killed by a signal."""
        return self.code is None or self.code < 0 or self.is_out_of_memory

    @property
    def is_out_of_memory(self) -> bool:
        """It has a limit, failed, and its words say that it got no memory: no system tells it otherwise."""
        words = self.stderr.decode("utf-8", errors="replace").lower()
        return bool(self.memory_limit and self.code) and any(word in words for word in NO_MEMORY)

    @property
    def ending(self) -> str:
        """In words: `ended with exit code 3`."""
        if self.code is None:
            return f"was ended after {self.seconds:.{0 if self.seconds >= 10 else 1}f} s"  # noqa: PLR2004 - two digits
        if self.code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-self.code).name}"
            return f"was ended by signal {-self.code}"
        over = f", over its limit of {readable(self.memory_limit, 'B')}" if self.is_out_of_memory else ""
        return f"ended with exit code {self.code}{over}"

    @property
    def last_words(self) -> str:
        """The last line that it printed on stderr, else on stdout; "" when it said nothing."""
        for stream in (self.stderr, self.stdout):
            lines = stream.decode("utf-8", errors="replace").strip().splitlines()
            if lines:
                return lines[-1].strip()[:LONGEST_WORDS]
        return ""

    @property
    def account(self) -> str:
        """How it ended and its last words: `ended with exit code 3, its last words: no such file`."""
        return f"{self.ending}, its last words: {self.last_words}" if self.last_words else self.ending


@dataclass(slots=True)
class _Seen:
    """What was seen of a process so far; `ended` is None while it runs."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    ended: float | None = None
    waited: float = 0.0


def run_bounded(  # noqa: PLR0913 - keywords only, each one bound or outside thing
    argv: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    kept: int = KEPT_BYTES,
    memory_limit: int = 0,
) -> Finished:
    """Run a program without a shell in a process group of its own, which ends with it, whatever it started.

    `memory_limit` bounds the address space of it and of what it starts, 0 does not. The processor time is
    wrong when other children of this process end meanwhile.

    Raises:
        OSError: the program cannot be started, or its memory not be limited on this system.
    """
    if memory_limit and sys.platform != "linux":
        raise OSError(errno.ENOTSUP, "memory cannot be limited on this system")
    cpu = _children_seconds()
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
            _limit_memory(process.pid, memory_limit)
            seen = _watch(process, started + seconds, kept)
        finally:
            _end_group(process.pid)
        code = process.wait()
    return Finished(
        code=None if seen.ended is None else code,
        stdout=bytes(seen.stdout),
        stderr=bytes(seen.stderr),
        is_cut=seen.is_cut,
        seconds=(seen.ended or time.monotonic()) - started,
        cpu_seconds=_children_seconds() - cpu,
        waited_seconds=seen.waited,
        memory_limit=memory_limit,
    )


def _limit_memory(started: int, size: int) -> None:
    """From outside, right after the start: a program in between would cost its own start in each sample."""
    if size and sys.platform == "linux":
        import resource  # noqa: PLC0415 - not on Windows

        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(started, resource.RLIMIT_AS, (size, size))


def on_one_line(text: str) -> str:
    """Another program's words as a part of a message of ours."""
    return " ".join(text.split())[:LONGEST_WORDS]


def _watch(process: subprocess.Popen[bytes], deadline: float, kept: int) -> _Seen:
    """Read both pipes until the process ends or its time is over; what exceeds `kept` is dropped."""
    seen = _Seen()
    with selectors.DefaultSelector() as selector, _end_descriptor(process) as end:
        for name in ("stdout", "stderr"):
            selector.register(getattr(process, name), selectors.EVENT_READ, getattr(seen, name))
        if end is not None:
            selector.register(end, selectors.EVENT_READ)
        until = deadline
        while selector.get_map() and (left := until - time.monotonic()) > 0:
            for key, _ in selector.select(left if end is not None else min(left, _TICK_SECONDS)):
                if key.data is None:
                    seen.ended = time.monotonic()
                    seen.waited = _in_run_queue(process.pid)
                    selector.unregister(key.fileobj)
                else:
                    _read(selector, key, seen, kept)
            if end is None and seen.ended is None and process.poll() is not None:
                seen.ended = time.monotonic()
            if seen.ended is not None and until == deadline:
                _end_group(process.pid)  # its children hold the pipes open, and go on
                until = seen.ended + GRACE_SECONDS
        if seen.ended is None:  # without a descriptor: it closed its pipes and goes on
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0))
                seen.ended = time.monotonic()
    return seen


def _read(selector: selectors.BaseSelector, key: selectors.SelectorKey, seen: _Seen, kept: int) -> None:
    data = os.read(key.fd, _CHUNK)
    if not data:
        selector.unregister(key.fileobj)
    room = kept - len(key.data)
    key.data.extend(data[: max(room, 0)])
    seen.is_cut = seen.is_cut or len(data) > room


@contextlib.contextmanager
def _end_descriptor(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that becomes readable when the process ends; None where the system has none.

    Asking again and again instead sees the end late by the time between two questions.
    """
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not Linux, or an old kernel
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _in_run_queue(ended: int) -> float:
    """Seconds that the main thread of a process waited for a processor; asked before anybody reaps it."""
    try:
        return int(Path(f"/proc/{ended}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _children_seconds() -> float:
    """Processor time of all children that ended and were waited for."""
    import resource  # noqa: PLC0415 - not on Windows

    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _end_group(leader: int) -> None:
    """Nothing of the group goes on; the leader may be gone already, its children not."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
