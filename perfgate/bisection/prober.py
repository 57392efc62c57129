"""The prober: answers the search's probes from the shelf, from builds ahead, or by a launch."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.measurement import Draw
from perfgate.bisection.owner import RUN_VARIABLE, kill_marked
from perfgate.bisection.probe import Outcome, ProbeOutcome
from perfgate.core.errors import UsageError
from perfgate.core.metric import Kind

if TYPE_CHECKING:
    from concurrent.futures import Future

    from perfgate.bisection.builder import Builder
    from perfgate.bisection.preparation import Prepared, Preparer, Task
    from perfgate.bisection.probe import Build, Probe
    from perfgate.bisection.shelf import Shelf
    from perfgate.core.record import Record

DRAWN_RUNS = 8  # launches of the simulator that one child draws: a run of it is as of a process of its own
DRAWN_SAMPLES = 32


class MirrorProber:
    """Implements `probe.Prober`. One thread asks it; its own ones build, and draw for the simulator."""

    def __init__(self, task: Task, builder: Builder, preparer: Preparer, shelf: Shelf) -> None:
        self._task = task
        self._builder = builder
        self._preparer = preparer
        self._shelf = shelf
        self._ahead: dict[str, Future[Prepared]] = {}
        self._failed: dict[str, Prepared] = {}  # ahead of being asked for
        self._pool = ThreadPoolExecutor(max_workers=max(1, task.jobs - 1))
        builder.start()

    def built(self) -> frozenset[str]:
        """Commits that have launches in the cache."""
        return self._shelf.measured()

    def record(self, commit: str) -> Record | None:
        """Settings, exact metrics and profile summary of a commit that was measured."""
        entry = self._shelf.entry(commit)
        return None if entry is None else entry.record

    def replayed(self, outcome: ProbeOutcome) -> None:
        """An outcome of the journal, before the first probe."""
        self._shelf.replayed(outcome)

    def probe(self, wanted: Probe) -> ProbeOutcome:
        """See `probe.Prober`.

        Raises:
            UsageError: nothing can be measured any more, such as on a full disk.
        """
        builds: list[Build] = []
        try:
            if wanted.commit in self._ahead:
                self._ahead[wanted.commit].exception()  # waits
            self._collect(builds)
            outcome = self._answer(wanted, builds)
        except OSError as problem:
            reason = (problem.strerror or type(problem).__name__).lower()
            remedy = "mend it and run it again with --resume"
            raise UsageError(f"cannot be written, {reason}", str(problem.filename), remedy) from None
        return msgspec.structs.replace(outcome, builds=tuple(builds))

    def close(self) -> None:
        """Stop prefetched builds; what they have started is killed."""
        self._builder.stop()
        for future in self._ahead.values():
            future.cancel()
        kill_marked(RUN_VARIABLE, self._builder.token)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _answer(self, wanted: Probe, builds: list[Build]) -> ProbeOutcome:
        """From the shelf, from a failure ahead, else by building and launching."""
        if wanted.is_clean:
            self._builder.forget(wanted.commit)
            self._shelf.skip(wanted.commit)
        elif (held := self._shelf.answer(wanted)) is not None:
            return held
        failed = self._failed.pop(wanted.commit, None)
        if failed is not None:
            return ProbeOutcome(commit=wanted.commit, outcome=failed.outcome, detail=failed.detail)
        self._prefetch(wanted)
        if not self._task.is_simulated:
            for future in self._ahead.values():
                future.exception()  # no build may run while time is measured
        done = self._preparer.prepare(wanted.commit, self._draw(wanted.commit, wanted.samples))
        builds += done.builds
        problem = self._kept(done)
        if problem is not None:
            return problem
        answer = self._shelf.answer(wanted)
        assert answer is not None  # noqa: S101 - its launches were just kept
        return answer

    def _kept(self, done: Prepared) -> ProbeOutcome | None:
        """Put what was measured on the shelf; the outcome when there is nothing to put."""
        outcome, detail = done.outcome, done.detail
        if done.record is not None:
            if self._shelf.add(done.commit, done.record, done.seconds):
                return None
            outcome, detail = Outcome.CRASHED, f"no values of {self._task.metric.name} above zero"
        if self._task.is_final(outcome):
            self._shelf.fail(done.commit, outcome, detail)
        return ProbeOutcome(commit=done.commit, outcome=outcome, detail=detail)

    def _prefetch(self, wanted: Probe) -> None:
        """Start what is likely to be asked for next, and drop what was left behind."""
        for commit in [item for item in self._ahead if item not in wanted.ahead]:
            if self._ahead[commit].cancel():
                del self._ahead[commit]
        for commit in wanted.ahead:
            is_known = commit in self._failed or self._shelf.entry(commit) is not None
            if commit in self._ahead or commit == wanted.commit or is_known or self._builder.built(commit):
                continue
            draw = self._draw(commit, wanted.samples) if self._task.is_simulated else None
            self._ahead[commit] = self._pool.submit(self._preparer.prepare, commit, draw)

    def _collect(self, builds: list[Build]) -> None:
        """Take in what was prepared ahead and has ended."""
        for commit in [item for item, future in self._ahead.items() if future.done()]:
            future = self._ahead.pop(commit)
            if future.cancelled():
                continue
            done = future.result()
            builds += done.builds
            is_only_built = done.outcome is Outcome.MEASURED and done.record is None
            if not is_only_built and self._kept(done) is not None:
                self._failed[commit] = done

    def _draw(self, commit: str, samples: int) -> Draw:
        seed = self._shelf.seed(commit)
        if not self._task.is_simulated:
            return Draw(runs=1, samples=max(1, samples), seed=seed)
        if self._task.metric.kind is Kind.EXACT:
            return Draw(runs=1, samples=1, seed=seed)
        return Draw(runs=DRAWN_RUNS, samples=max(DRAWN_SAMPLES, samples), seed=seed)
