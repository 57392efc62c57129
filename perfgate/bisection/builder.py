"""Builds: a commit checked out, the benchmark's files placed over it, the set-up command run, in a worktree.

A few worktrees are kept, so that a commit that is measured again needs no second build; the one that was
used longest ago makes room.
"""

from __future__ import annotations

import shutil
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.child import Limits, run_child
from perfgate.bisection.gitrun import GitError
from perfgate.bisection.probe import Outcome
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfgate.bisection.overlay import Overlay
    from perfgate.bisection.surroundings import Surroundings
    from perfgate.bisection.worktrees import Worktrees

KEPT_TREES = 6  # the two ends, parent and culprit of a confirmation, and two on the way
MIN_FREE = 256 << 20  # bytes; less is no place to build in
NO_SPACE = "no space left"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The command that runs in each checkout, empty for none."""

    command: tuple[str, ...] = ()
    seconds: float = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The end of a build. `tree` is the worktree when it succeeded."""

    commit: str
    seconds: float
    outcome: Outcome = Outcome.MEASURED
    tree: Path | None = None
    detail: str = ""


class Builder:
    """Builds commits in worktrees; threads may call it at once, each commit once at a time."""

    def __init__(  # noqa: PLR0913 - one keyword per outside thing
        self,
        worktrees: Worktrees,
        overlay: Overlay,
        set_up: SetUp,
        surroundings: Surroundings,
        *,
        limits: Limits,
        jobs: int = 1,
        free_bytes: Callable[[Path], int] | None = None,
    ) -> None:
        self._worktrees = worktrees
        self._overlay = overlay
        self._set_up = set_up
        self._surroundings = surroundings
        self._limits = limits
        self._room = KEPT_TREES + jobs - 1
        self._free_bytes = free_bytes or (lambda folder: shutil.disk_usage(folder).free)
        self._lock = threading.Lock()
        self._order: dict[
            int, str
        ] = {}  # worktree -> its commit, "" while it is being built; oldest use first
        self._busy: set[int] = set()
        self._is_stopped = False

    @property
    def token(self) -> str:
        """The mark of everything that is started here."""
        return self._surroundings.token

    def start(self) -> None:
        """Builds may begin again after `stop`."""
        self._is_stopped = False

    def stop(self) -> None:
        """Begin nothing any more."""
        self._is_stopped = True

    def built(self, commit: str) -> Path | None:
        """The worktree of a commit that needs no build, None when there is none."""
        with self._lock:
            for number, held in self._order.items():
                if held == commit:
                    self._order[number] = self._order.pop(number)
                    return self._worktrees.path(number)
        return None

    def forget(self, commit: str) -> None:
        """The next build of this commit begins from nothing."""
        with self._lock:
            for number, held in self._order.items():
                if held == commit:
                    self._order[number] = ""

    def build(self, commit: str, *, is_retry: bool = False) -> Built:
        """Check out, place, set up. A failure is tried once more in a new worktree.

        Raises:
            UsageError: the disk is full, or git cannot check anything out.
        """
        if self._is_stopped:
            raise UsageError("interrupted", commit[:12], "run it again with --resume")
        self.check_space()
        started = time.monotonic()
        number = self._take()
        try:
            if is_retry:
                self._worktrees.drop(number)
            done = self._built_in(number, commit, started)
        finally:
            with self._lock:
                self._busy.discard(number)
        if done.tree is None:
            if not is_retry and self._set_up.command and not self._is_stopped:
                return self.build(commit, is_retry=True)
            return done
        with self._lock:
            self._order[number] = commit
        return done

    def check_space(self) -> None:
        """Refuse to begin what a full disk would end; worktrees that wait for nothing go first.

        Raises:
            UsageError: the disk is full all the same.
        """
        if self._free_bytes(self._worktrees.folder) >= MIN_FREE:
            return
        with self._lock:
            idle = [number for number in self._order if number not in self._busy]
            for number in idle:
                self._worktrees.drop(number)
                del self._order[number]
        free = self._free_bytes(self._worktrees.folder)
        if free < MIN_FREE:
            what = f"the disk is nearly full, {free >> 20} MB are left"
            remedy = "free space or set PERFGATE_CACHE to another disk, then run it again with --resume"
            raise UsageError(what, str(self._worktrees.folder), remedy)

    def _take(self) -> int:
        """A worktree to build in: a new one while there is room, else the idle one used longest ago."""
        with self._lock:
            idle = [number for number in self._order if number not in self._busy]
            if len(self._order) < self._room or not idle:
                number = next(n for n in range(len(self._order) + 1) if n not in self._order)
            else:
                number = next((n for n in idle if not self._order[n]), idle[0])
            self._order.pop(number, None)
            self._order[number] = ""
            self._busy.add(number)
            return number

    def _built_in(self, number: int, commit: str, started: float) -> Built:
        tree = self._check_out(number, commit)
        try:
            self._worktrees.fill(number, commit)
        except GitError as problem:
            self.check_space()
            seconds = time.monotonic() - started
            return Built(commit=commit, seconds=seconds, outcome=Outcome.BUILD_FAILED, detail=problem.what)
        try:
            self._overlay.place(tree)
        except OSError as problem:
            self.check_space()
            detail = f"the benchmark's files cannot be placed, {(problem.strerror or 'error').lower()}"
            return Built(
                commit=commit, seconds=time.monotonic() - started, outcome=Outcome.UNFIT, detail=detail
            )
        if not self._set_up.command:
            return Built(commit=commit, seconds=time.monotonic() - started, tree=tree)
        limits = Limits(seconds=self._set_up.seconds, memory=self._limits.memory, file=self._limits.file)
        ended = run_child(self._set_up.command, tree, self._surroundings.of_setup(), limits)
        seconds = time.monotonic() - started
        if ended.is_timed_out:
            detail = f"the set-up command did not end within {limits.seconds:.0f} s"
            return Built(commit=commit, seconds=seconds, outcome=Outcome.TIMED_OUT, detail=detail)
        if ended.code:
            self.check_space()  # a full disk is no fault of the commit
            return Built(commit=commit, seconds=seconds, outcome=Outcome.BUILD_FAILED, detail=ended.last_line)
        return Built(commit=commit, seconds=seconds, tree=tree)

    def _check_out(self, number: int, commit: str) -> Path:
        """The checkout; a worktree that the last build has damaged is made anew."""
        try:
            return self._worktrees.check_out(number, commit)
        except GitError as problem:
            if NO_SPACE in problem.what.lower():
                raise
            self._worktrees.drop(number)
            return self._worktrees.check_out(number, commit)
