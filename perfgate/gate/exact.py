"""Exact metrics: no test, only a threshold (STATISTICS section 9)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.core.metric import Direction
from perfgate.core.units import percent, readable
from perfgate.core.verdict import Comparison, Verdict

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.gate.thresholds import MetricPolicy


def compare_exact(metric: Metric, baseline: float, now: float, policy: MetricPolicy) -> Comparison:
    """Regressed when `worse > max(absolute, relative * |baseline|)`; improved mirrored.

    Integers are compared as integers, whatever their size. From a zero baseline only `absolute` counts and no
    percentage is given.
    """
    direction = policy.direction or metric.direction
    worse = now - baseline if direction is Direction.LOWER else baseline - now
    margin = max(policy.absolute, policy.relative * abs(baseline))
    verdict = Verdict.UNCHANGED
    if worse > margin:
        verdict = Verdict.REGRESSED
    elif -worse > margin:
        verdict = Verdict.IMPROVED
    relative = _relative(worse, baseline)
    return Comparison(
        metric=metric,
        verdict=verdict,
        reason=_reason(metric, baseline, now, relative),
        baseline=baseline,
        now=now,
        worse_by=relative,
        low=relative,
        high=relative,
        threshold=_threshold_text(metric, policy),
    )


def _relative(worse: float, baseline: float) -> float | None:
    if baseline == 0:
        return 0.0 if worse == 0 else None
    relative = worse / abs(baseline)
    return relative if math.isfinite(relative) else None


def _reason(metric: Metric, baseline: float, now: float, relative: float | None) -> str:
    before, after = readable(baseline, metric.unit), readable(now, metric.unit)
    if baseline == now:
        return f"{metric.name} {before}, no difference"
    if relative is None:
        return f"{metric.name} {before} -> {after} (new, cannot be put in percent)"
    word = "worse" if relative > 0 else "better"
    return f"{metric.name} {before} -> {after} ({percent(abs(relative)).lstrip('+')} {word})"


def _threshold_text(metric: Metric, policy: MetricPolicy) -> str:
    parts = [f"{100 * policy.relative:g} % ({policy.origin('relative')})"]
    if policy.absolute:
        parts.append(f"{readable(policy.absolute, metric.unit)} ({policy.origin('absolute')})")
    return "exact, more than " + " or ".join(parts)
