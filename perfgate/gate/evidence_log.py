"""The evidence behind each comparison as JSON lines.

They are enough to recompute the verdict from it and the records.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.verdict import Verdict  # noqa: TC001 - msgspec reads the annotations at run time

if TYPE_CHECKING:
    from perfgate.core.verdict import Comparison
    from perfgate.gate.ground import Ground, Side
    from perfgate.gate.outcome import Outcome
    from perfgate.gate.sampled_case import SuiteRule

SCHEMA = "perfgate/evidence/1"


class Evidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One comparison.

    Pairs are (worse, better); `difference` and `error` are logs of costs, positive is worse.
    `inputs` is the SHA-256 of both sides' samples in order. `prior_df` None means infinite: every benchmark
    has the prior's variance. The test fields are None for exact metrics and where nothing could be tested.
    """

    schema: str = SCHEMA
    key: str
    metric: str
    verdict: Verdict
    reason: str
    inputs: str = ""
    baseline_runs: int = 0
    candidate_runs: int = 0
    fresh_runs: int = 0
    baseline: float | None = None
    now: float | None = None
    difference: float | None = None
    error: float | None = None
    df: float | None = None
    prior_df: float | None = None
    prior_variance: float | None = None
    walk: float | None = None
    p_runs: tuple[float, float] | None = None
    p_samples: tuple[float, float] | None = None
    is_suspect: tuple[bool, bool] | None = None
    is_apart: tuple[bool, bool] | None = None
    needed_runs: tuple[int, int] | None = None
    obstacles: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None
    alpha: float | None = None
    family: int | None = None
    seed: int | None = None
    threshold: str = ""


def sampled_evidence(
    ground: Ground, side: Side, row: int, heard: tuple[Outcome, Comparison], rule: SuiteRule
) -> dict[str, object]:
    """The evidence of a sampled comparison."""
    outcome, comparison = heard
    case, situation = ground.cases[row], outcome.situation
    infinite = math.isinf(ground.prior.df)
    return plain_evidence(
        Evidence(
            key=case.key,
            metric=case.metric.name,
            verdict=comparison.verdict,
            reason=comparison.reason,
            inputs=_digest(ground, side, row),
            baseline_runs=comparison.baseline_runs,
            candidate_runs=comparison.candidate_runs,
            fresh_runs=len(case.fresh),
            baseline=comparison.baseline,
            now=comparison.now,
            difference=situation.difference,
            error=situation.error,
            df=None if math.isinf(situation.df) else situation.df,
            prior_df=None if infinite else ground.prior.df,
            prior_variance=ground.prior.variance,
            walk=ground.drift.walk,
            p_runs=situation.p_runs,
            p_samples=situation.p_samples,
            is_suspect=situation.is_suspect,
            is_apart=situation.is_apart,
            needed_runs=situation.needs,
            obstacles=tuple(str(obstacle) for obstacle in outcome.obstacles),
            low=comparison.low,
            high=comparison.high,
            bootstrap_low=comparison.bootstrap_low,
            bootstrap_high=comparison.bootstrap_high,
            alpha=rule.alpha,
            family=situation.family,
            seed=rule.seed,
            threshold=comparison.threshold,
        )
    )


def decided_evidence(key: str, comparison: Comparison) -> dict[str, object]:
    """The evidence of a comparison that needed no test."""
    return plain_evidence(
        Evidence(
            key=key,
            metric=comparison.metric.name,
            verdict=comparison.verdict,
            reason=comparison.reason,
            baseline=comparison.baseline,
            now=comparison.now,
            threshold=comparison.threshold,
        )
    )


def flaw_evidence(key: str, verdict: Verdict, reason: str) -> dict[str, object]:
    """The evidence of a benchmark that could not be compared as a whole."""
    return plain_evidence(Evidence(key=key, metric="*", verdict=verdict, reason=reason))


def plain_evidence(evidence: Evidence) -> dict[str, object]:
    """Builtins only, ready for one line of JSON."""
    plain: dict[str, object] = msgspec.to_builtins(evidence)
    return plain


def check_evidence(line: object) -> Evidence:
    """Check one decoded line against the schema.

    Raises:
        msgspec.ValidationError: a key is unknown or of another type.
    """
    return msgspec.convert(line, Evidence)


def _digest(ground: Ground, side: Side, row: int) -> str:
    digest = hashlib.sha256()
    for samples in (ground.baseline.samples, side.samples):
        for run in samples.runs_of(row):
            digest.update(len(run).to_bytes(8, "little"))
            digest.update(run.astype("<f8").tobytes())
    return digest.hexdigest()
