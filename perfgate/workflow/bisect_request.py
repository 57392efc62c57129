"""What a user asks of a bisection, before any of it was looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.problem import MAX_CULPRITS, Wanted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SETUP_TIMEOUT = 1800.0  # seconds
WORKING_TREE = "WORKTREE"  # as a bad end: the files as they are, also uncommitted ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring:
    """How commits are built and measured. `timeout` 0 follows the first launch.

    `definition`: `bad`, `each` or a revision whose benchmark files are used. `under_test`: paths that
    stay each commit's own. `names`: variables that children may see. `frozen`: lock
    files come from the bad end. `submodules`, `lfs`: what a checkout gets besides its own files.
    """

    set_up: tuple[str, ...] = ()
    setup_timeout: float = SETUP_TIMEOUT
    timeout: float = 0.0
    definition: str = "bad"
    under_test: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    frozen: bool = True
    submodules: bool = False
    lfs: bool = False
    jobs: int = 1

    @property
    def contents(self) -> str:
        """What a checkout gets besides its own files, in words; "" for nothing."""
        wanted = {"submodules": self.submodules, "lfs": self.lfs}
        return " ".join(name for name, is_wanted in wanted.items() if is_wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What the search may cost; 0 is no limit."""

    samples: int = 0
    seconds: float = 0.0
    build_seconds: float = 0.0
    max_culprits: int = MAX_CULPRITS
    grid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectRequest:
    """`good` None: the commit of the accepted baseline.

    `benchmarks` empty: those that regressed last.

    `metric` None: the exact one of the simulator, else the benchmark's first sampled one. `root` is the
    folder whose suites count, `environment` that of the user.
    """

    root: Path
    environment: Mapping[str, str]
    bad: str
    good: str | None = None
    benchmarks: tuple[str, ...] = ()
    metric: str | None = None
    wanted: Wanted = Wanted.WORSE
    paths: tuple[str, ...] = ()
    measuring: Measuring = Measuring()
    budget: Budget = Budget()
    resume: bool = False
    descend: bool = True
    may_fetch: bool = False
    trusts_history: bool = False
    baselines: str = "baselines"
