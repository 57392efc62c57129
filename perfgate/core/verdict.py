"""Verdicts and the comparison behind each of them."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from perfgate.core.metric import Metric  # noqa: TC001 - msgspec reads the annotations at run time


class Verdict(StrEnum):
    """The answer for one benchmark; declared in order of precedence, worst first (docs/MATH.md)."""

    INVALID = "invalid"
    CHANGED = "changed"
    MISSING = "missing"
    NEW = "new"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"


PRECEDENCE: dict[Verdict, int] = {verdict: rank for rank, verdict in enumerate(Verdict)}


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The test result for one metric of one benchmark.

    `baseline` and `now` are locations in the metric's unit (exact values for exact metrics). `worse_by` is
    the relative change, positive means worse whatever the direction; `low` and `high` its 95 % interval
    (None: not computable, for example from zero). `p_runs` and `p_samples` are the p-values of tests A and B
    before Holm's correction. `bootstrap_low` and `bootstrap_high` are the 95 % BCa interval of the ratio of
    medians over runs, None with fewer than three runs on a side. The budget fields answer `limit`.
    """

    metric: Metric
    verdict: Verdict
    reason: str
    baseline: float | None = None
    now: float | None = None
    worse_by: float | None = None
    low: float | None = None
    high: float | None = None
    p_runs: float | None = None
    p_samples: float | None = None
    baseline_runs: int = 0
    candidate_runs: int = 0
    further_runs: int | None = None
    detectable: float | None = None
    threshold: str = ""
    notes: tuple[str, ...] = ()
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None
    is_over_budget: bool = False
    is_near_budget: bool = False


class BenchmarkVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The worst comparison decides. `is_failure` and `is_warning` are the policy's answer to the verdict.

    `is_accepted`: the change itself accepts the regression, which its reviewers have to agree to. `test` is
    the node id of the pytest test that measures the benchmark, "" when a suite defines it.
    """

    benchmark: str
    device: str
    verdict: Verdict
    reason: str
    is_failure: bool
    is_warning: bool = False
    is_accepted: bool = False
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    test: str = ""

    @property
    def key(self) -> str:
        """`benchmark[device]`, as reports and pytest name it."""
        return f"{self.benchmark}[{self.device}]"
