"""What one search has seen so far, by position: launches, failures, builds, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from perfgate.bisection.actions import Prices
from perfgate.bisection.answer import Cost
from perfgate.bisection.probe import Launch, Outcome, Probe, ProbeOutcome, Progress, Purpose
from perfgate.core.metric import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.found import Found
    from perfgate.bisection.problem import Problem

    Floats: TypeAlias = NDArray[np.float64]

T = TypeVar("T")
Asking: TypeAlias = Generator[Probe, ProbeOutcome | None, T]


class StopSearch(Exception):  # noqa: N818 - not an error: the search answers with what it has
    """The user, or the budget, wants the answer now; raised and caught inside a search only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The newest belief about a range, for the progress line and for prefetching.

    `left` are the positions (first, last] that hold the culprit with 99 %, `bad` the chances from `low` on.
    """

    low: int
    left: tuple[int, int]
    bad: Floats
    ahead: tuple[int, ...] = ()


@dataclass(slots=True)
class Trail:
    """Grows by one outcome at a time; the only thing that changes during a search."""

    problem: Problem
    launches: dict[int, list[Launch]] = field(default_factory=dict)
    values: dict[int, list[Floats]] = field(default_factory=dict)
    failures: dict[int, ProbeOutcome] = field(default_factory=dict)
    built: set[int] = field(default_factory=set)
    build_seconds: list[float] = field(default_factory=list)
    failed_builds: int = 0
    clean_builds: int = 0
    seconds: float = 0.0
    view: View | None = None
    expected: Cost = field(default_factory=Cost)
    found: list[Found] = field(default_factory=list)
    splits: list[int] = field(default_factory=list)  # commits with a change on both sides, still to be found
    places: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {item.commit: place for place, item in enumerate(self.problem.candidates)}
        self.built = {self.places[commit] for commit in self.problem.built if commit in self.places}

        last = len(self.places) - 1
        if self.problem.limits.jobs > 1:  # both ends are built at once
            sums = np.cumsum([0.0, *(item.weight for item in self.problem.candidates[1:])])
            self.view = View(low=0, left=(0, last), bad=sums / sums[-1], ahead=(last,))

    def samples(self) -> int:
        """Samples taken so far."""
        return sum(len(launch.samples) for batch in self.launches.values() for launch in batch)

    def cost(self) -> Cost:
        """What was spent so far."""
        return Cost(
            builds=len(self.build_seconds) - self.clean_builds,
            clean=self.clean_builds,
            failed=self.failed_builds,
            launches=sum(map(len, self.launches.values())),
            samples=self.samples(),
            seconds=self.seconds,
        )

    def exceeds(self, cost: Cost) -> bool:
        """The cost is more than the user allows."""
        limits = self.problem.limits
        return (0 < limits.samples < cost.samples) or (0 < limits.seconds < cost.seconds)

    def prices(self) -> Prices:
        """Mean costs so far; one sample costs something, or nothing could be compared with it."""
        batches = [launch for batch in self.launches.values() for launch in batch]
        taken = sum(len(launch.samples) for launch in batches)
        seconds = math.fsum(launch.seconds for launch in batches)
        build = self.problem.limits.build_seconds
        if self.build_seconds:
            build = math.fsum(self.build_seconds) / len(self.build_seconds)
        return Prices(
            build=build / self.problem.limits.jobs,
            launch=math.fsum(launch.overhead for launch in batches) / max(1, len(batches)),
            sample=seconds / taken if taken and seconds > 0 else 1.0,
        )

    def ask(self, position: int, samples: int, purpose: Purpose, *, is_clean: bool = False) -> Asking[bool]:
        """Have one launch made; true when it was measured.

        Raises:
            StopSearch: the budget would be exceeded, or the driver wants the answer.
        """
        spent = self.cost()
        limits = self.problem.limits
        if (0 < limits.samples < spent.samples + samples) or (0 < limits.seconds <= spent.seconds):
            raise StopSearch("the budget is spent")
        outcome = yield Probe(
            commit=self.problem.candidates[position].commit,
            samples=samples,
            purpose=purpose,
            progress=self._progress(position, spent),
            is_clean=is_clean,
            ahead=self._ahead(position),
        )
        if outcome is None:
            raise StopSearch("stopped before the end")
        if is_clean:
            self.clean_builds += sum(build.commit == outcome.commit for build in outcome.builds)
        return self.note(outcome)

    def _ahead(self, position: int) -> tuple[str, ...]:
        """What the other workers may build meanwhile; a commit that is built needs no worker."""
        if self.view is None:
            return ()
        wanted = [place for place in self.view.ahead if place != position and place not in self.built]
        commits = [self.problem.candidates[place].commit for place in wanted]
        return tuple(commits[: self.problem.limits.jobs - 1])

    def _progress(self, position: int, spent: Cost) -> Progress:
        last = len(self.problem.candidates) - 1
        left = last if self.view is None else self.view.left[1] - self.view.left[0]
        chance = self.bad_chance(position)
        if chance is None:
            chance = {0: 0.0, last: 1.0}.get(position, 0.5)
        return Progress(
            left=left,
            bad_chance=chance,
            builds=spent.builds,
            samples=spent.samples,
            expected_builds=self.expected.builds,
            expected_samples=self.expected.samples,
            is_over_budget=self.exceeds(self.expected),
        )

    def bad_chance(self, position: int) -> float | None:
        """P(bad) by the newest belief, where it covers the position."""
        if self.view is None or not 0 <= position - self.view.low < len(self.view.bad):
            return None
        return float(self.view.bad[position - self.view.low])

    def note(self, outcome: ProbeOutcome) -> bool:
        """Take an outcome in; true when it brought a usable launch.

        Raises:
            StopSearch: a commit that had been measured cannot be any more.
        """
        for build in outcome.builds:
            self.build_seconds.append(build.seconds)
            self.seconds += build.seconds
            place = self.places[build.commit]
            if build.outcome is Outcome.MEASURED:
                self.built.add(place)
            else:
                self.failed_builds += 1
                failure = ProbeOutcome(commit=build.commit, outcome=build.outcome)
                self.failures.setdefault(place, failure)
        position = self.places[outcome.commit]
        if outcome.launch is None:
            return self._fail(position, outcome)
        self.seconds += outcome.launch.seconds + outcome.launch.overhead
        return self._take(position, outcome.launch)

    def _fail(self, position: int, failure: ProbeOutcome) -> bool:
        if position in self.launches:
            # what was asked because it says most would be asked again and again
            raise StopSearch(f"{failure.commit} was measured before and fails now: {failure.outcome}")
        self.failures[position] = failure
        return False

    def _take(self, position: int, launch: Launch) -> bool:
        metric = self.problem.metric
        raw = np.asarray(launch.samples, dtype=np.float64)
        if metric.kind is Kind.EXACT:
            value = launch.exact.get(metric.name)
            raw = np.array([] if value is None else [value], dtype=np.float64)
        usable = raw.size > 0 and bool(np.all(np.isfinite(raw)))
        if metric.kind is Kind.SAMPLED:
            usable = usable and bool(np.all(raw > 0))
        if not usable:
            failure = ProbeOutcome(
                commit=self.problem.candidates[position].commit,
                outcome=Outcome.CRASHED if raw.size else Outcome.MISSING,
                detail="values that are no numbers above zero" if raw.size else f"no {metric.name}",
            )
            return self._fail(position, failure)
        self.launches.setdefault(position, []).append(launch)
        if np.all(raw > 0):  # exact values may be zero; then nobody asks for their logarithm
            self.values.setdefault(position, []).append(self.problem.sign() * np.log(raw))
        return True
