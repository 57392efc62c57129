"""A commit made ready for an answer: built where needed, launched, tried twice before it counts as failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.bisection.measurement import Draw, Measurement, measure
from perfgate.bisection.probe import Build, Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.bisection.builder import Builder
    from perfgate.bisection.child import Limits
    from perfgate.bisection.measurement import Target
    from perfgate.bisection.surroundings import Surroundings
    from perfgate.core.metric import Metric
    from perfgate.core.record import Record

FIRST_TIMEOUT = 1800.0  # seconds for the first launch of all; later ones get a multiple of it
TIMEOUT_FACTOR = 10.0
LEAST_TIMEOUT = 60.0  # seconds; a launch that took none must not be cut off by a busy machine
_ALIKE = frozenset({Outcome.BUILD_FAILED, Outcome.MISSING, Outcome.UNFIT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is measured and how. `is_simulated`: launches are drawn, and builds may run beside them.

    `limits.seconds` 0: ten times the first launch. `jobs` builds at a time.
    """

    target: Target
    metric: Metric
    is_simulated: bool
    has_setup: bool
    limits: Limits
    jobs: int = 1

    def is_final(self, outcome: Outcome) -> bool:
        """The same files will always fail like this: the simulator reads nothing but them."""
        return self.is_simulated and not self.has_setup and outcome in _ALIKE


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What came of it. `record` only when it was launched and could be measured."""

    commit: str
    builds: tuple[Build, ...]
    outcome: Outcome
    record: Record | None = None
    seconds: float = 0.0
    detail: str = ""


class Preparer:
    """Builds and launches; several threads may prepare different commits at once."""

    def __init__(self, task: Task, builder: Builder, surroundings: Surroundings) -> None:
        self._task = task
        self._builder = builder
        self._surroundings = surroundings
        self._seconds = task.limits.seconds
        self._inputs: dict[str, str] | None = None

    def prepare(self, commit: str, draw: Draw | None) -> Prepared:
        """Build, and launch unless `draw` is None.

        Raises:
            UsageError: nothing can be measured any more, such as on a full disk.
        """
        first = self._attempt(commit, draw, is_again=False)
        is_build_failure = (
            first.builds and first.builds[-1].outcome is not Outcome.MEASURED
        )  # tried twice there
        if first.outcome is Outcome.MEASURED or is_build_failure or self._task.is_final(first.outcome):
            return _with_failed_build(first)
        second = self._attempt(commit, draw, is_again=True)
        return _with_failed_build(replace(second, builds=(*first.builds, *second.builds)))

    def _attempt(self, commit: str, draw: Draw | None, *, is_again: bool) -> Prepared:
        if is_again:
            self._builder.forget(commit)
        builds: tuple[Build, ...] = ()
        tree = self._builder.built(commit)
        if tree is None:
            done = self._builder.build(commit)
            builds = (Build(commit=commit, seconds=done.seconds, outcome=done.outcome),)
            if done.tree is None:
                return Prepared(commit=commit, builds=builds, outcome=done.outcome, detail=done.detail)
            tree = done.tree
        if draw is None:
            return Prepared(commit=commit, builds=builds, outcome=Outcome.MEASURED)
        found = self._launch(tree, draw)
        if found.record is None:
            self._builder.check_space()  # a full disk is no fault of the commit
        return Prepared(
            commit=commit,
            builds=builds,
            outcome=found.outcome,
            record=found.record,
            seconds=found.seconds,
            detail=found.detail,
        )

    def _launch(self, tree: Path, draw: Draw) -> Measurement:
        """A launch, refused when its inputs or values cannot be compared with the first one's."""
        limits = replace(self._task.limits, seconds=self._seconds or FIRST_TIMEOUT)
        found = measure(tree, self._task.target, draw, self._surroundings, limits)
        if found.record is None:
            return found
        if not self._seconds:
            self._seconds = max(LEAST_TIMEOUT, TIMEOUT_FACTOR * found.seconds)
        inputs = found.record.ruler.inputs
        if self._inputs is None:
            self._inputs = inputs
        if inputs == self._inputs:
            return found
        detail = f"other inputs, {inputs} instead of {self._inputs}"
        return Measurement(outcome=Outcome.UNFIT, seconds=found.seconds, detail=detail)


def _with_failed_build(done: Prepared) -> Prepared:
    """A commit that was built but cannot be launched counts as a failed build in what was spent."""
    if done.outcome is Outcome.MEASURED or not done.builds:
        return done
    *others, last = done.builds
    failed = Build(commit=last.commit, seconds=last.seconds, outcome=done.outcome)
    return replace(done, builds=(*others, failed))
