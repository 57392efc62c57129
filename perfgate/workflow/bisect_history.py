"""The history of a bisection: the user's repository read, our mirror brought up to it, the range listed."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from perfgate.bisection.gitrun import Git
from perfgate.bisection.mirror import (
    bisect_folder,
    bring,
    deepen,
    is_shallow,
    mirror_folder,
    open_mirror,
    open_source,
    origin_url,
)
from perfgate.bisection.revisions import Range, depth_advice, is_complete, resolve, resolve_range
from perfgate.bisection.sweep import sweep
from perfgate.core.errors import UsageError
from perfgate.workflow.bisect_request import WORKING_TREE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfgate.bisection.mirror import Mirror, Source
    from perfgate.workflow.bisect_request import BisectRequest

LOCK_TIMEOUT = 600.0  # seconds; another run may be cloning a large repository
_PRIVILEGED = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
_SNAPSHOT = {
    name: value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in (
        (f"GIT_{role}_NAME", "perfgate"),
        (f"GIT_{role}_EMAIL", "perfgate@localhost"),
        (f"GIT_{role}_DATE", "1970-01-01T00:00:00Z"),  # equal files are an equal commit
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """Where a bisection stands: our mirror and the range in it; `prefix` is the request's folder inside."""

    mirror: Mirror
    source: Source
    ends: Range
    prefix: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The mirror with the bad end in it."""

    mirror: Mirror
    source: Source
    bad: str
    prefix: str


def refuse_privileged(request: BisectRequest) -> None:
    """Old commits are code that runs: not where a foreign branch would meet the secrets of this one.

    Raises:
        UsageError: the job is such a one and nobody allowed it.
    """
    event = request.environment.get("GITHUB_EVENT_NAME", "")
    if event in _PRIVILEGED and not request.trusts_history:
        what = f"a job on {event} holds secrets that the code of old commits could read"
        raise UsageError(what, "perfgate bisect", "run it elsewhere, or pass --trust-history")


def cache_folder(request: BisectRequest) -> Path:
    """Where mirrors live for this user."""
    return bisect_folder(request.environment, Path.home())


@contextmanager
def mirror_lock(folder: Path) -> Iterator[None]:
    """Only one process at a time changes a mirror's references, worktree entries and locks.

    Raises:
        UsageError: another one holds it for too long.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.with_suffix(".lock"), timeout=LOCK_TIMEOUT)
    try:
        lock.acquire()
    except Timeout:
        remedy = "wait for the other bisection, or end it"
        raise UsageError("another run holds the mirror", str(folder), remedy) from None
    try:
        yield
    finally:
        lock.release()


def prepare_history(request: BisectRequest, good_of: Callable[[Opened], str]) -> Grounds:
    """Open the repository and the mirror, clean up after dead runs, resolve both ends.

    `good_of` says which revision is good once the bad end can be read.

    Raises:
        UsageError: a revision, the range or the depth of the clone cannot be used.
        UnusableError: the mirror cannot be read.
    """
    cache = cache_folder(request)
    source = open_source(request.root, cache, request.environment)
    is_snapshot = request.bad == WORKING_TREE
    bad = resolve(source.git, "HEAD" if is_snapshot else request.bad, "--bad")
    notes: list[str] = []
    with mirror_lock(mirror_folder(source, cache)):
        mirror = open_mirror(source, cache)
        swept = sweep(mirror)
        if swept.runs:
            notes.append(f"cleaned up after {swept.runs} dead runs, {swept.processes} processes")
        bring(mirror, source, [bad])
        if source.is_shallow and request.may_fetch and is_shallow(mirror) and (url := origin_url(source)):
            deepen(mirror, url)
        if is_snapshot:
            bad = snapshot(mirror, source, bad)
        prefix = request.root.resolve().relative_to(source.root.resolve()).as_posix()
        opened = Opened(mirror=mirror, source=source, bad=bad, prefix="" if prefix == "." else prefix)
        good = _resolve_good(opened, good_of(opened), request)
        bring(mirror, source, [good])
    ends = _range(mirror, request, good, bad)
    return Grounds(mirror=mirror, source=source, ends=ends, prefix=opened.prefix, notes=(*notes, *ends.notes))


def _resolve_good(opened: Opened, good: str, request: BisectRequest) -> str:
    """In the user's clone, else in the deeper mirror of a shallow one."""
    try:
        return resolve(opened.source.git, good, "--good")
    except UsageError as problem:
        if not opened.source.is_shallow:
            raise
        if is_shallow(opened.mirror):
            what = f"{problem.what}, and the clone is shallow"
            raise UsageError(what, "--good", depth_advice(request.environment)) from None
        return resolve(opened.mirror.git, good, "--good")


def _range(mirror: Mirror, request: BisectRequest, good: str, bad: str) -> Range:
    """The range; in a shallow history also a missing ancestor is a matter of depth."""
    shallow = is_shallow(mirror)
    try:
        ends = resolve_range(mirror.git, good, bad)
    except UsageError as problem:
        if not shallow or "share no history" not in problem.what:
            raise
        raise _too_shallow(request) from None
    if shallow and not is_complete(mirror.git, ends):
        raise _too_shallow(request)
    return ends


def _too_shallow(request: BisectRequest) -> UsageError:
    what = "the clone is shallow and does not hold the whole range"
    return UsageError(what, str(request.root), depth_advice(request.environment))


def snapshot(mirror: Mirror, source: Source, head: str) -> str:
    """The working tree, with uncommitted and untracked files, as a commit that only the mirror has."""
    with tempfile.TemporaryDirectory(dir=mirror.folder) as folder:
        git = Git(
            folder=source.root,
            environment={**mirror.git.environment, **_SNAPSHOT},
            git_dir=mirror.repository,
            index=Path(folder) / "index",
        )
        excludes = source.common / "info" / "exclude"
        git.run("read-tree", head)
        git.run("add", "--all", "--", ".", settings=(f"core.excludesFile={os.fspath(excludes)}",))
        tree = git.text("write-tree")
        return git.text("commit-tree", "-p", head, "-m", "uncommitted changes", tree)
