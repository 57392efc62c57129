"""The seam between the search, which only thinks, and the prober, which checks out, builds and measures.

The search asks for one `Probe` at a time and takes one `ProbeOutcome`. It has no clock, no git and no
randomness: the same outcomes in the same order lead to the same next probe. A journal of outcomes is
therefore the whole state of a bisection, and resuming is feeding them again. Whatever the search may know
about the world has to be inside an outcome, prefetched builds included.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec


class Candidate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A commit of the range, oldest first; the first of a list is the good end, the last the bad one.

    `tree` is what is built and measured: the tree's id, or a digest of the listed paths with `--paths`. Equal
    text means that nothing that counts differs. `weight` is the prior weight, see `candidates`. `same` are
    later commits that were merged into this one because they end in the same tree.
    """

    commit: str
    tree: str
    weight: float = 1.0
    parents: tuple[str, ...] = ()
    subject: str = ""
    author: str = ""
    date: str = ""
    same: tuple[str, ...] = ()

    @property
    def is_merge(self) -> bool:
        """Its change came from other commits, which can be searched in turn."""
        return len(self.parents) > 1


class Outcome(StrEnum):
    """What came of a probe. All but `measured` make the commit unbuildable for the search."""

    MEASURED = "measured"
    BUILD_FAILED = "build failed"  # checkout, set-up or compilation
    CRASHED = "benchmark crashed"  # non-zero exit, a signal, or values that are no numbers above zero
    TIMED_OUT = "timed out"
    MISSING = "benchmark missing"  # not defined at this commit
    UNFIT = "benchmark does not fit"  # the overlaid benchmark files cannot work on this commit


class Purpose(StrEnum):
    """Why a probe is asked for; for the progress line."""

    ENDPOINT = "endpoint"
    GRID = "grid"
    SEARCH = "search"
    CONFIRM = "confirm"
    RESIDUAL = "residual"


class Progress(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far the search is. The two estimates are totals, 0 until the end points are told apart.

    `left`: size of the smallest set of commits that holds the culprit with 99 %. `bad_chance`: P(bad) of the
    commit that is probed, from the outcomes so far. `is_over_budget`: the estimate exceeds the budget; tell
    the user before the money is spent.
    """

    left: int
    bad_chance: float
    builds: int
    samples: int
    expected_builds: int = 0
    expected_samples: int = 0
    is_over_budget: bool = False


class Probe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One launch that is wanted: a fresh process that takes `samples` samples at `commit`, built if need be.

    `is_clean`: build again from nothing, with no cache of builds or samples. Two probes of one commit are two
    launches; samples of an earlier launch are never an answer (those of an earlier *run* may be, in order).
    `ahead`: commits that are likely to be built next, likeliest first, at most `jobs - 1`; a prefetched build
    that is no longer in `ahead` has been left behind.
    """

    commit: str
    samples: int
    purpose: Purpose
    progress: Progress
    is_clean: bool = False
    ahead: tuple[str, ...] = ()


class Launch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one fresh process gave: raw samples of the searched metric in its unit, exact metrics by name.

    `seconds` is the time of all its samples, `overhead` that of starting the process (import, load, warm-up).
    A launch on an exact metric needs no samples.
    """

    samples: tuple[float, ...] = ()
    exact: dict[str, float] = {}
    seconds: float = 0.0
    overhead: float = 0.0


class Build(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A build that came to an end: what it took in seconds, and whether it can be launched."""

    commit: str
    seconds: float
    outcome: Outcome = Outcome.MEASURED


class ProbeOutcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to one `Probe`, and one line of the journal.

    `launch` is there exactly when the outcome is `measured`. `builds` are all the builds that ended since the
    last outcome: the commit's own, unless it was built before, and prefetched ones, in the order in which
    they ended. A failure has been tried a second time in a clean worktree before it is reported. `detail` is
    the end of the failing output, for the report.
    """

    commit: str
    outcome: Outcome
    launch: Launch | None = None
    builds: tuple[Build, ...] = ()
    detail: str = ""


class Prober(Protocol):
    """Carries out probes; the real one works in a mirror, the tests' one in a simulated world."""

    def probe(self, wanted: Probe) -> ProbeOutcome:
        """Build where needed, launch once, and say what happened; a failure is an outcome, no exception.

        Prefetched builds for `wanted.ahead` may start here, and must not run while samples are taken unless
        the backend is simulated or the metric exact.
        """

    def built(self) -> frozenset[str]:
        """Commits that can be launched without a build; asked once, before the first probe.

        The journal keeps the answer: it belongs to the input of the search.
        """

    def close(self) -> None:
        """Stop prefetched builds and leave nothing behind."""
