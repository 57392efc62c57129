"""One search over one range: its journal, its lock, its prober."""

from __future__ import annotations

import hashlib
import math
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from filelock import FileLock, Timeout

from perfgate.bisection.builder import Builder, SetUp
from perfgate.bisection.child import Limits
from perfgate.bisection.journal import Header, Journal, resume_journal, start_journal
from perfgate.bisection.measurement import Target
from perfgate.bisection.preparation import Preparer, Task
from perfgate.bisection.probe_cache import ProbeCache
from perfgate.bisection.prober import MirrorProber
from perfgate.bisection.problem import Limits as SearchLimits
from perfgate.bisection.problem import Problem
from perfgate.bisection.shelf import Shelf, Subject
from perfgate.core.errors import UsageError
from perfgate.workflow.bisect_driving import Drive, drive
from perfgate.workflow.bisect_subject import cache_key, machine_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from perfgate.bisection.candidates import History
    from perfgate.bisection.probe_cache import CacheKey
    from perfgate.bisection.surroundings import Surroundings
    from perfgate.bisection.worktrees import Worktrees
    from perfgate.core.record import Record
    from perfgate.workflow.bisect_driving import Driven, Listener
    from perfgate.workflow.bisect_history import Grounds
    from perfgate.workflow.bisect_request import BisectRequest
    from perfgate.workflow.bisect_subject import BisectSubject
    from perfgate.workflow.interruption import Interruption

_ID_DIGITS = 8
_MEMORY_FACTOR = 4  # virtual memory that is reserved and never used is common
_MOST_PROCESSES = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """What all searches of one command share; `builders` holds the latest one by its overlay's digest."""

    request: BisectRequest
    grounds: Grounds
    worktrees: Worktrees
    surroundings: Surroundings
    listener: Listener
    interruption: Interruption
    builders: dict[str, Builder]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What came of one search; `records` are those of the commits that its answer names."""

    driven: Driven
    journal: str
    records: dict[str, Record]


def search_range(
    work: Workplace, subject: BisectSubject, history: History, *, is_side: bool = False
) -> Searched:
    """Search the candidates, with a journal that a later run can take up.

    The side of a merge (`is_side`) has a journal of its own, which an interrupted run may not have begun.

    Raises:
        UsageError: another process searches the same, or an end cannot be measured.
        UnusableError: the journal cannot be resumed.
    """
    ends = (history.candidates[0].commit, history.candidates[-1].commit)
    text = " ".join((*ends, subject.benchmark.key, subject.metric.name, work.request.wanted))
    name = hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]
    folder = work.grounds.mirror.folder / "journals"
    with _exclusive(folder, name), closing(prober_of(work, subject, history)) as prober:
        header = Header(
            id=name, meaning=_meaning(work, subject, history), built=tuple(sorted(prober.built()))
        )
        path = folder / f"{name}.jsonl"
        is_resumed = work.request.resume and (path.is_file() or not is_side)
        opened = resume_journal(path, header) if is_resumed else start_journal(path, header)
        with closing(opened) as journal:
            return _searched(work, subject, history, (prober, journal))


def _searched(
    work: Workplace, subject: BisectSubject, history: History, tools: tuple[MirrorProber, Journal]
) -> Searched:
    prober, journal = tools
    request = work.request
    budget = request.budget
    problem = Problem(
        candidates=history.candidates,
        metric=subject.metric,
        wanted=request.wanted,
        limits=SearchLimits(
            samples=budget.samples,
            seconds=budget.seconds,
            max_culprits=budget.max_culprits,
            grid=budget.grid,
            jobs=request.measuring.jobs,
            build_seconds=budget.build_seconds,
        ),
        built=frozenset(journal.header.built),
    )
    run = Drive(prober=prober, journal=journal, listener=work.listener, interruption=work.interruption)
    driven = drive(problem, run)
    named = [side.commit for item in driven.answer.culprits for side in (item.parent, item.commit)]
    records = {commit: record for commit in named if (record := prober.record(commit)) is not None}
    return Searched(driven=driven, journal=journal.header.id, records=records)


def prober_of(work: Workplace, subject: BisectSubject, history: History) -> MirrorProber:
    """What measures the commits of a history; to be closed."""
    request = work.request
    measuring = request.measuring
    folder = work.grounds.mirror.folder
    limits = Limits(
        seconds=measuring.timeout,
        memory=_MEMORY_FACTOR * _physical_memory(),
        processes=_MOST_PROCESSES,
    )
    task = Task(
        target=Target(
            benchmark=subject.benchmark.name,
            device=subject.benchmark.device,
            compiled=folder / "compiled",
            prefix=work.grounds.prefix,
        ),
        metric=subject.metric,
        is_simulated=subject.is_simulated,
        has_setup=bool(measuring.set_up),
        limits=limits,
        jobs=measuring.jobs,
    )
    builder = _builder_of(work, subject, limits)

    base = cache_key(request, subject, "")

    def key(commit: str) -> CacheKey:
        return msgspec.structs.replace(base, tree=history.trees[commit])

    shelf = Shelf(Subject(trees=history.trees, key=key, metric=subject.metric), ProbeCache(folder / "probes"))
    return MirrorProber(task, builder, Preparer(task, builder, work.surroundings), shelf)


def _builder_of(work: Workplace, subject: BisectSubject, limits: Limits) -> Builder:
    """What was built for one search serves the next, as long as the same files are placed over it."""
    digest = subject.overlay.digest
    if digest not in work.builders:
        measuring = work.request.measuring
        work.builders.clear()
        work.builders[digest] = Builder(
            work.worktrees,
            subject.overlay,
            SetUp(command=measuring.set_up, seconds=measuring.setup_timeout),
            work.surroundings,
            limits=limits,
            jobs=measuring.jobs,
        )
    return work.builders[digest]


def _physical_memory() -> int:
    """Bytes; 0 where the system does not say."""
    names = ("SC_PAGE_SIZE", "SC_PHYS_PAGES")
    return math.prod(os.sysconf(name) for name in names) if set(names) <= os.sysconf_names.keys() else 0


def _meaning(work: Workplace, subject: BisectSubject, history: History) -> dict[str, str]:
    """Every argument that changes what is searched; a budget may grow between runs."""
    request = work.request
    measuring = request.measuring
    commits = " ".join(f"{item.commit} {item.weight}" for item in history.candidates)
    return {
        "good": history.candidates[0].commit,
        "bad": history.candidates[-1].commit,
        "benchmark": subject.benchmark.key,
        "metric": subject.metric.name,
        "direction": str(request.wanted),
        "paths": " ".join(request.paths),
        "set-up command": " ".join(measuring.set_up),
        "benchmark files": subject.overlay.digest,
        "under test": " ".join(measuring.under_test),
        "variables": " ".join(measuring.names),
        "checkout": measuring.contents,
        "jobs": str(measuring.jobs),
        "grid": str(request.budget.grid),
        "culprits": str(request.budget.max_culprits),
        "candidates": hashlib.sha256(commits.encode()).hexdigest(),
        "machine": "" if subject.is_simulated else machine_key(),
    }


@contextmanager
def _exclusive(folder: Path, name: str) -> Iterator[None]:
    """One search per range and benchmark at a time.

    Raises:
        UsageError: another process has it, with its id.
    """
    folder.mkdir(parents=True, exist_ok=True)
    holder = folder / f"{name}.pid"
    lock = FileLock(folder / f"{name}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        who = holder.read_text(encoding="ascii") if holder.is_file() else "unknown"
        what = f"process {who} is bisecting the same range and benchmark"
        raise UsageError(what, str(folder / name), "wait for it, or end it") from None
    try:
        holder.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()
