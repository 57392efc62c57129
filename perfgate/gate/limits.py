"""Absolute budgets: a value over its limit is a regression whatever the baseline (STATISTICS section 10)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.metric import Direction
from perfgate.core.units import readable
from perfgate.core.verdict import Comparison, Verdict

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.gate.thresholds import MetricPolicy


def over_budget(metric: Metric, policy: MetricPolicy, value: float) -> bool:
    """The value breaks the limit: above a ceiling, or below a floor where higher is better."""
    if policy.limit is None:
        return False
    if (policy.direction or metric.direction) is Direction.LOWER:
        return value > policy.limit.value
    return value < policy.limit.value


def near_budget(metric: Metric, policy: MetricPolicy, value: float) -> bool:
    """The value has used up the share of the budget from which on a warning is shown."""
    if policy.limit is None:
        return False
    if (policy.direction or metric.direction) is Direction.LOWER:
        return value > policy.limit.warn_at * policy.limit.value
    return value * policy.limit.warn_at < policy.limit.value


def apply_limit(
    comparison: Comparison, policy: MetricPolicy, *, now: float, surely: float | None
) -> Comparison:
    """The comparison with its budget judged.

    `now` is the value, `surely` the better end of its interval (the value itself for exact metrics, None
    where nothing can be said): only what lies over the limit for sure breaks it.
    """
    metric, limit = comparison.metric, policy.limit
    if limit is None or not math.isfinite(now):
        return comparison
    budget = readable(limit.value, metric.unit)
    sign = ">" if (policy.direction or metric.direction) is Direction.LOWER else "<"
    value = readable(now, metric.unit)
    if surely is not None and over_budget(metric, policy, surely):
        reason = f"over budget: {metric.name} {value} {sign} {budget} ({policy.origin('limit')})"
        if comparison.verdict in (Verdict.REGRESSED, Verdict.INVALID):
            reason = f"{comparison.reason}; {reason}"
        verdict = Verdict.INVALID if comparison.verdict is Verdict.INVALID else Verdict.REGRESSED
        return msgspec.structs.replace(comparison, verdict=verdict, reason=reason, is_over_budget=True)
    if over_budget(metric, policy, now):
        note = f"{metric.name} {value} may be over its budget of {budget}: within noise of it"
    elif near_budget(metric, policy, now):
        note = f"{metric.name} {value} has used {100 * limit.warn_at:g} % of its budget of {budget}"
    else:
        return comparison
    return msgspec.structs.replace(comparison, notes=(*comparison.notes, note), is_near_budget=True)
