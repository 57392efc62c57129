"""`perfgate bisect` from end to end: history, benchmarks, one search each, descent into merges."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.bisection.answer import Ending
from perfgate.bisection.large_files import LargeFiles, require_lfs
from perfgate.bisection.mirror import origin_url
from perfgate.bisection.overlay import submodules
from perfgate.bisection.owner import this_process
from perfgate.bisection.submodules import Submodules
from perfgate.bisection.surroundings import Surroundings
from perfgate.bisection.worktrees import Worktrees
from perfgate.core.errors import ExitCode, PerfgateError
from perfgate.report.bisect_output import BisectFailure
from perfgate.report.bisect_text import BisectReport
from perfgate.workflow.bisect_choice import accepted_commit, benchmarks_of, choose, metric_of
from perfgate.workflow.bisect_descent import Descent, total_cost
from perfgate.workflow.bisect_history import mirror_lock, prepare_history, refuse_privileged
from perfgate.workflow.bisect_search import Workplace, search_range
from perfgate.workflow.bisect_subject import (
    BisectSubject,
    definition_overlay,
    history_of,
    lock_changes,
    placed_overlay,
)
from perfgate.workflow.interruption import SHELL_BASE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from perfgate.bisection.candidates import History
    from perfgate.bisection.overlay import Overlay
    from perfgate.bisection.worktrees import Filling
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.bisect_driving import Listener
    from perfgate.workflow.bisect_history import Grounds, Opened
    from perfgate.workflow.bisect_request import BisectRequest
    from perfgate.workflow.interruption import Interruption


def prepare_bisection(request: BisectRequest) -> tuple[Grounds, tuple[BisectSubject, ...]]:
    """The mirror, the range and the benchmarks to search; nothing is built.

    Raises:
        PerfgateError: see the parts.
    """
    refuse_privileged(request)
    chosen: list[Benchmark] = []
    found: list[Overlay] = []

    def good_of(opened: Opened) -> str:
        overlay = definition_overlay(request, opened.mirror.git, opened.bad)
        found.append(overlay)
        chosen.extend(choose(benchmarks_of(overlay, opened.prefix), request.benchmarks, request.root))
        if request.good is not None:
            return request.good
        folder = (PurePosixPath(opened.prefix) / request.baselines).as_posix()
        return accepted_commit(opened.mirror.git, opened.bad, chosen[0], folder)

    grounds = prepare_history(request, good_of)
    if request.measuring.lfs:
        require_lfs(grounds.mirror.git)
    subjects = [
        BisectSubject(benchmark=item, metric=metric_of(item, request.metric), overlay=found[0])
        for item in chosen
    ]
    return grounds, tuple(replace(item, overlay=placed_overlay(request, item, grounds)) for item in subjects)


def run_bisection(
    request: BisectRequest, listener: Listener, interruption: Interruption
) -> Generator[BisectReport | BisectFailure]:
    """One result per benchmark, as soon as it is there; ends early after a signal.

    With several benchmarks an error ends the search of its own one only.

    Raises:
        PerfgateError: the range, the only benchmark or its end cannot be used.
        InterruptedRunError: a signal before anything was measured.
    """
    with interruption.may_raise():
        grounds, subjects = prepare_bisection(request)
    with workplace(request, grounds, listener, interruption) as work:
        for subject in subjects:
            try:
                done = _bisect(work, subject)
            except PerfgateError as problem:
                if len(subjects) == 1:
                    raise
                key = subject.benchmark.key
                yield BisectFailure(benchmark=key, error=problem.line, exit_code=problem.exit_code)
                continue
            yield done
            if done.interrupted:
                return


@contextmanager
def workplace(
    request: BisectRequest, grounds: Grounds, listener: Listener, interruption: Interruption
) -> Iterator[Workplace]:
    """Worktrees and an environment for this process; both are gone afterwards."""
    owner = this_process()
    worktrees = Worktrees(grounds.mirror, owner, fillings_of(request, grounds))
    surroundings = Surroundings(
        outer=request.environment,
        names=request.measuring.names,
        root=grounds.source.root,
        home=worktrees.home,
        temporary=worktrees.temporary,
        token=owner.token,
    )
    try:
        with mirror_lock(grounds.mirror.folder):  # no sweep may see the folder before its owner
            worktrees.open()
        yield Workplace(
            request=request,
            grounds=grounds,
            worktrees=worktrees,
            surroundings=surroundings,
            listener=listener,
            interruption=interruption,
            builders={},
        )
    finally:
        worktrees.close()


def fillings_of(request: BisectRequest, grounds: Grounds) -> tuple[Filling, ...]:
    """What checkouts get besides their own files, from the user's origin."""
    origin = origin_url(grounds.source)
    found: list[Filling] = []
    if request.measuring.submodules:
        found.append(Submodules(grounds.mirror, origin))
    if request.measuring.lfs:
        found.append(LargeFiles(grounds.mirror, origin))
    return tuple(found)


def _bisect(work: Workplace, subject: BisectSubject) -> BisectReport:
    """Search the range, then the side of each merge that is a culprit."""
    started = time.monotonic()
    grounds = work.grounds
    ends = (grounds.ends.good, grounds.ends.bad)
    history = history_of(grounds.mirror.git, ends, work.request, subject)
    first = search_range(work, subject, history)
    answer = first.driven.answer
    descent = Descent(work, subject)
    findings = [item for culprit in answer.culprits for item in descent.follow(culprit, first)]
    searches = (first, *descent.searches)
    number = work.interruption.number
    is_named = answer.ending in {Ending.CULPRIT, Ending.RANGE}
    return BisectReport(
        benchmark=subject.benchmark.key,
        metric=subject.metric,
        good=ends[0],
        bad=ends[1],
        commits=len(history.trees) - 1,
        answer=answer,
        findings=tuple(findings),
        cost=total_cost([item.driven.answer.cost for item in searches]),
        notes=(*range_notes(work.request, grounds, history), *descent.notes),
        journal=first.journal,
        replayed=sum(item.driven.replayed for item in searches),
        seconds=time.monotonic() - started,
        definition=subject.overlay.digest,
        placed=tuple(item.path for item in subject.overlay.files),
        exit_code=int(ExitCode.PASS if is_named else ExitCode.INCONCLUSIVE)
        if number is None
        else SHELL_BASE + number,
        interrupted=number is not None,
    )


def range_notes(request: BisectRequest, grounds: Grounds, history: History) -> tuple[str, ...]:
    """What a reader should know about the range: another good end, changed locks, submodules."""
    notes = list(grounds.notes)
    commits = lock_changes(history)
    if commits:
        kept = "frozen at the bad end" if request.measuring.frozen else "those of each commit"
        notes.append(f"lock files change in {', '.join(commits)}; dependencies are {kept}")
    paths = submodules(grounds.mirror.git, grounds.ends.bad)
    if paths and not request.measuring.submodules:
        notes.append(f"submodules stay empty: {', '.join(paths)}")
    return tuple(notes)
