"""Absolute budgets: a value over its limit is a regression whatever the baseline (STATISTICS section 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.metric import Direction
from perfgate.core.units import readable
from perfgate.core.verdict import Comparison, Verdict

if TYPE_CHECKING:
    from perfgate.gate.thresholds import Limit, MetricPolicy


def over_budget(limit: Limit, direction: Direction, value: float) -> bool:
    """The value breaks the limit: above a ceiling, or below a floor where higher is better."""
    return value > limit.value if direction is Direction.LOWER else value < limit.value


def near_budget(limit: Limit, direction: Direction, value: float) -> bool:
    """The value has used up the share of the budget from which on a warning is shown."""
    if direction is Direction.LOWER:
        return value > limit.warn_at * limit.value
    return value * limit.warn_at < limit.value


def apply_limit(
    comparison: Comparison, policy: MetricPolicy, *, now: float, surely: float | None
) -> Comparison:
    """The comparison with its budget judged.

    `now` is the value, `surely` the better end of its interval (the value itself for exact metrics, None
    where nothing can be said): only what lies over the limit for sure breaks it.
    """
    metric, limit = comparison.metric, policy.limit
    if limit is None:
        return comparison
    direction = policy.direction or metric.direction
    budget, value = readable(limit.value, metric.unit), readable(now, metric.unit)
    if surely is not None and over_budget(limit, direction, surely):
        sign = ">" if direction is Direction.LOWER else "<"
        reason = f"over budget: {metric.name} {value} {sign} {budget} ({policy.origin('limit')})"
        if comparison.verdict is Verdict.REGRESSED:
            reason = f"{comparison.reason}; {reason}"
        return msgspec.structs.replace(
            comparison, verdict=Verdict.REGRESSED, reason=reason, is_over_budget=True
        )
    if over_budget(limit, direction, now):
        note = f"{metric.name} {value} may be over its budget of {budget}: within noise of it"
    elif near_budget(limit, direction, now):
        note = f"{metric.name} {value} has used {100 * limit.warn_at:g} % of its budget of {budget}"
    else:
        return comparison
    return msgspec.structs.replace(comparison, notes=(*comparison.notes, note), is_near_budget=True)
