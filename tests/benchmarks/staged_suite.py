"""One suite of samples through the production rule, stage by stage, with fresh runs from a pool."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import Verdict
from perfgate.gate.common_line import common_line
from perfgate.gate.sampled import judge_sampled
from perfgate.gate.sampled_case import SampledCase, SuiteRule
from perfgate.gate.thresholds import MetricPolicy, Suspicion

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from perfgate.core.metric import Metric

    Run = npt.NDArray[np.float64]
    Runs = Sequence[Run]

POLICY = MetricPolicy()
LATENCY = KNOWN_METRICS["latency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How a suite is measured: candidate runs at first, and whether suspects may be run again."""

    name: str
    first_runs: int
    is_staged: bool = False
    suspect: Suspicion = Suspicion.BOTH
    baseline_runs: int = 5

    @property
    def rule(self) -> SuiteRule:
        """The frozen rule; nothing in it depends on the noise."""
        return SuiteRule(suspect=self.suspect, fresh_allowed=self.is_staged)


DESIGNS = (
    Design(name="5v1 both", first_runs=1, is_staged=True),
    Design(name="5v1 either", first_runs=1, is_staged=True, suspect=Suspicion.EITHER),
    Design(name="5v3", first_runs=3),
    Design(name="5v5", first_runs=5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """The verdict of each benchmark in order, suspects at first, and whether the suite alone is red."""

    verdicts: tuple[Verdict, ...]
    suspects: int
    is_shifted: bool

    @property
    def is_red(self) -> bool:
        """The build fails."""
        return self.is_shifted or Verdict.REGRESSED in self.verdicts


def decide(
    baseline: Sequence[Runs], pool: Sequence[Runs], design: Design, metric: Metric = LATENCY
) -> SuiteResult:
    """Decide a suite: baseline runs per benchmark, and a pool of candidate runs to take from in order."""
    first = design.first_runs
    cases = [
        SampledCase(
            key=f"b{place:04d}",
            metric=metric,
            policy=POLICY,
            baseline=tuple(runs),
            candidate=tuple(pool[place][:first]),
        )
        for place, runs in enumerate(baseline)
    ]
    early = decision = judge_sampled(cases, design.rule)
    if decision.wanted:
        wanted = {request.key: request.runs for request in decision.wanted}
        cases = [
            replace(case, fresh=tuple(pool[place][first : first + wanted.get(case.key, 0)]))
            for place, case in enumerate(cases)
        ]
        decision = judge_sampled(cases, replace(design.rule, fresh_allowed=False))
    line = common_line(decision.grounds[0], POLICY.equivalence)
    return SuiteResult(
        verdicts=tuple(outcome.verdict for outcome in decision.outcomes),
        suspects=sum(outcome.situation.is_suspect[0] for outcome in early.outcomes),
        is_shifted=line is not None and line.verdict is Verdict.REGRESSED,
    )
