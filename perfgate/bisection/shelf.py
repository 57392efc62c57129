"""The launches of each commit, from the cache and from this run, and which of them were an answer already."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.probe import Launch, Outcome, ProbeOutcome
from perfgate.bisection.probe_cache import Entry
from perfgate.core.metric import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.bisection.probe import Probe
    from perfgate.bisection.probe_cache import CacheKey, ProbeCache
    from perfgate.core.metric import Metric
    from perfgate.core.record import Record

_SEED_BITS = 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the shelf is about: git's tree of each candidate, how it is kept, and the searched metric."""

    trees: Mapping[str, str]
    key: Callable[[str], CacheKey]
    metric: Metric


class Shelf:
    """Entries by tree: commits with one tree share their launches, and each is an answer once."""

    def __init__(self, subject: Subject, cache: ProbeCache) -> None:
        self._subject = subject
        self._cache = cache
        self._entries: dict[str, Entry] = {}
        self._served: dict[str, set[int]] = {}

    def entry(self, commit: str) -> Entry | None:
        """What is known of a commit, None when it was never measured."""
        tree = self._subject.trees.get(commit, "")
        if tree not in self._entries:
            found = self._cache.get(self._subject.key(commit)) if tree else None
            if found is None:
                return None
            self._entries[tree] = found
        return self._entries[tree]

    def measured(self) -> frozenset[str]:
        """Commits with launches."""
        found = {commit: self.entry(commit) for commit in self._subject.trees}
        return frozenset(
            commit
            for commit, entry in found.items()
            if entry is not None and entry.outcome is Outcome.MEASURED
        )

    def answer(self, wanted: Probe) -> ProbeOutcome | None:
        """A launch that nobody has had yet, or a failure that stays; None: it has to be launched."""
        entry = self.entry(wanted.commit)
        if entry is None:
            return None
        if entry.outcome is not Outcome.MEASURED:
            return ProbeOutcome(commit=wanted.commit, outcome=entry.outcome, detail=entry.detail)
        served = self._served.setdefault(self._subject.trees[wanted.commit], set())
        samples = 0 if self._subject.metric.kind is Kind.EXACT else wanted.samples
        for number, launch in enumerate(entry.launches):
            if number not in served and len(launch.samples) >= samples:
                served.add(number)
                part = shortened(launch, samples)
                return ProbeOutcome(commit=wanted.commit, outcome=Outcome.MEASURED, launch=part)
        return None

    def add(self, commit: str, record: Record, seconds: float) -> int:
        """Keep the launches of a record; how many. None are kept when values of the metric are missing.

        Raises:
            OSError: the cache cannot be written.
        """
        fresh = launches_of(record, self._subject.metric, seconds)
        if fresh:
            known = self.entry(commit)
            known = known if known is not None and known.outcome is Outcome.MEASURED else None
            entry = Entry(
                outcome=Outcome.MEASURED,
                launches=(*(known.launches if known else ()), *fresh),
                draws=(known.draws if known else 0) + 1,
                record=msgspec.structs.replace(record, runs=()),
            )
            self._keep(commit, entry)
        return len(fresh)

    def skip(self, commit: str) -> None:
        """Launches so far are no answer to the next probe, which wants a build from nothing."""
        entry = self.entry(commit)
        if entry is not None:
            served = self._served.setdefault(self._subject.trees[commit], set())
            served.update(range(len(entry.launches)))

    def fail(self, commit: str, outcome: Outcome, detail: str) -> None:
        """Keep a failure that the same files will always give.

        Raises:
            OSError: the cache cannot be written.
        """
        self._keep(commit, Entry(outcome=outcome, detail=detail))

    def replayed(self, outcome: ProbeOutcome) -> None:
        """An outcome of the journal: its launch is no answer to a later probe, and its seed is used up."""
        entry = self.entry(outcome.commit)
        launch = outcome.launch
        if launch is None or entry is None:
            return
        tree = self._subject.trees[outcome.commit]
        served = self._served.setdefault(tree, set())
        count = len(launch.samples)
        for number, held in enumerate(entry.launches):
            if number not in served and held.samples[:count] == launch.samples and held.exact == launch.exact:
                served.add(number)
                return
        self._entries[tree] = msgspec.structs.replace(entry, draws=entry.draws + 1)

    def seed(self, commit: str) -> int:
        """A seed that no launch of this tree has used; the same history gives the same seeds."""
        entry = self.entry(commit)
        text = f"{self._subject.trees[commit]} {0 if entry is None else entry.draws}"
        digest = hashlib.sha256(text.encode()).digest()
        return int.from_bytes(digest[:8], "big") >> (64 - _SEED_BITS)

    def _keep(self, commit: str, entry: Entry) -> None:
        self._entries[self._subject.trees[commit]] = entry
        self._cache.put(self._subject.key(commit), entry)


def launches_of(record: Record, metric: Metric, seconds: float) -> tuple[Launch, ...]:
    """One launch per run, the time of the child shared among its samples; empty when values are missing."""
    if metric.kind is Kind.EXACT:
        return (Launch(exact=record.exact, overhead=seconds),) if metric.name in record.exact else ()
    name = metric.name if metric.quantile is None else metric.name.partition("_")[2]
    taken = [run.samples.get(name, ()) for run in record.runs]
    if not taken or not all(taken) or any(value <= 0 for samples in taken for value in samples):
        return ()
    share = seconds / sum(map(len, taken))
    return tuple(
        Launch(samples=samples, exact=record.exact, seconds=share * len(samples)) for samples in taken
    )


def shortened(launch: Launch, count: int) -> Launch:
    """The first samples of a launch, with their share of its time."""
    if not count or count >= len(launch.samples):
        return launch
    seconds = launch.seconds * count / len(launch.samples)
    return msgspec.structs.replace(launch, samples=launch.samples[:count], seconds=seconds)
