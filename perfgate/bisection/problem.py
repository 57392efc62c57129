"""What a search is asked: the commits, the metric, and how much it may cost."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from perfgate.bisection.probe import Candidate  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.errors import UsageError
from perfgate.core.metric import Metric  # noqa: TC001 - the same

MAX_CULPRITS = 3


class Wanted(StrEnum):
    """Which change is looked for."""

    WORSE = "worse"
    IMPROVED = "improved"


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the user allows. Zero means no limit of that kind; seconds are those that outcomes report.

    `grid`: evenly spaced commits that are probed first, to see a change that is undone later. `jobs`: builds
    at a time, 1 for no prefetching. `build_seconds`: the first guess of a build's cost, 0 to take the end
    points' builds.
    """

    samples: int = 0
    seconds: float = 0.0
    max_culprits: int = MAX_CULPRITS
    grid: int = 0
    jobs: int = 1
    build_seconds: float = 0.0


class Problem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole input of a search; with the outcomes it determines everything.

    `candidates` run from the good end to the bad end, oldest first, both included. `built` is the prober's
    answer at the start of the first run, also when a journal is replayed.
    """

    candidates: tuple[Candidate, ...]
    metric: Metric
    wanted: Wanted = Wanted.WORSE
    limits: Limits = Limits()
    built: frozenset[str] = frozenset()

    def sign(self) -> int:
        """Times the (log) value gives a number that the wanted change makes larger."""
        return self.metric.sign if self.wanted is Wanted.WORSE else -self.metric.sign

    def check(self) -> None:
        """Refuse what cannot be searched.

        Raises:
            UsageError: fewer than two candidates, the same commit twice, or a far percentile.
        """
        names = [candidate.commit for candidate in self.candidates]
        if len(set(names)) < max(2, len(names)):
            raise UsageError(
                "the range holds no two different commits",
                " ".join(names[:2]) or "bisection",
                "give a good commit and a later bad one whose files differ",
            )
        # The mean of a launch's logarithms says where its middle is, nothing about its tail.
        if self.metric.quantile is not None and self.metric.quantile != 0.5:  # noqa: PLR2004 - the median
            raise UsageError(
                "a far percentile cannot be bisected", self.metric.name, "bisect `latency` or an exact metric"
            )
