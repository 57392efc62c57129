"""From a merge that is the culprit to the commit on its side that made the change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.bisection.answer import Cost
from perfgate.bisection.finding import Finding, finding_of
from perfgate.core.errors import PerfgateError
from perfgate.workflow.bisect_search import Searched, Workplace, search_range
from perfgate.workflow.bisect_subject import BisectSubject, history_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.bisection.answer import Culprit
    from perfgate.bisection.probe import Candidate

MOST_MERGES = 3  # how deep merges of merges are searched
_LEAST_CANDIDATES = 2  # good end and one more


class Descent:
    """Follows culprits into merges; `searches` and `notes` are what that took and left open."""

    def __init__(self, work: Workplace, subject: BisectSubject) -> None:
        self._work = work
        self._subject = subject
        self.searches: list[Searched] = []
        self.notes: list[str] = []

    def follow(
        self, culprit: Culprit, searched: Searched, merges: tuple[Candidate, ...] = ()
    ) -> list[Finding]:
        """The culprit, or those inside of it: each side of a merge in turn, with its first parent as good."""
        commit = culprit.commit
        is_single_merge = len(culprit.suspects) == 1 and commit.is_merge
        if is_single_merge and self._work.request.descend and len(merges) < MOST_MERGES:
            for side in commit.parents[1:]:
                inner = self._search(commit, side)
                if inner is not None and inner.driven.answer.culprits:
                    return [
                        item
                        for found in inner.driven.answer.culprits
                        for item in self.follow(found, inner, (*merges, commit))
                    ]
            if self._work.interruption.number is None:
                self.notes.append(
                    f"{commit.commit[:12]}: no commit of its side shows it, the merge itself does"
                )
        records = (
            searched.records.get(culprit.parent.commit),
            searched.records.get(commit.commit),
        )
        return [finding_of(culprit, self._subject.metric, records, merges)]

    def _search(self, merge: Candidate, side: str) -> Searched | None:
        """One side of a merge; None when it holds nothing or cannot be searched, with a note."""
        if self._work.interruption.number is not None:
            return None
        git = self._work.grounds.mirror.git
        try:
            history = history_of(git, (merge.parents[0], side), self._work.request, self._subject)
            if len(history.candidates) < _LEAST_CANDIDATES:
                return None
            found = search_range(self._work, self._subject, history, is_side=True)
        except PerfgateError as problem:
            self.notes.append(f"{merge.commit[:12]}: its side {side[:12]} cannot be searched, {problem.line}")
            return None
        self.searches.append(found)
        return found


def total_cost(costs: Sequence[Cost]) -> Cost:
    """What several searches have spent together."""
    return Cost(
        builds=sum(item.builds for item in costs),
        clean=sum(item.clean for item in costs),
        failed=sum(item.failed for item in costs),
        launches=sum(item.launches for item in costs),
        samples=sum(item.samples for item in costs),
        seconds=sum(item.seconds for item in costs),
    )
