"""The sentences of the decision about one sampled comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.core.units import percent, readable
from perfgate.core.verdict import Verdict
from perfgate.gate.outcome import Obstacle
from perfgate.stats.mann_whitney import smallest_p
from perfgate.stats.power import LARGEST_LOG
from perfgate.stats.tail import samples_needed, smallest_tail_p

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.core.verdict import Comparison
    from perfgate.gate.outcome import Outcome
    from perfgate.gate.sampled_case import SampledCase, SuiteRule
    from perfgate.stats.power import Precision

NO_FURTHER_RUNS = "no number of runs up to 20 would settle it"


def worse_share(log_cost: float, sign: int) -> float:
    """A difference of log costs as a relative change of the metric.

    Positive is worse: 100 -> 90 fps is +10 %.
    """
    return math.expm1(min(log_cost, LARGEST_LOG)) if sign > 0 else -math.expm1(min(-log_cost, LARGEST_LOG))


def metric_label(metric: Metric) -> str:
    """`P99` for percentiles, else the metric's name."""
    return metric.name if metric.quantile is None else f"P{100 * metric.quantile:g}"


def reason(case: SampledCase, outcome: Outcome, comparison: Comparison, rule: SuiteRule) -> str:
    """What the comparison shows, in one line; `comparison` holds its numbers."""
    change = change_text(comparison)
    name, unit = case.metric.name, case.metric.unit
    before, now = (readable(value or 0.0, unit) for value in (comparison.baseline, comparison.now))
    if outcome.verdict is Verdict.UNCHANGED:
        if outcome.situation.is_constant:
            return f"{name}: every sample of both sides is {before}"
        return f"{name} {change}, within {100 * case.policy.equivalence:g} %"
    if outcome.verdict is not Verdict.INCONCLUSIVE:
        return f"{name} {before} -> {now}, {change}"
    return f"{name} {_undecided(case, outcome, comparison, rule)}"


def change_text(comparison: Comparison) -> str:
    """`+12.4 % (+11.0..+13.9)`; plus means worse."""
    text = "" if comparison.worse_by is None else percent(comparison.worse_by)
    if comparison.low is None or comparison.high is None:
        return text
    low, high = (percent(bound).removesuffix(" %") for bound in (comparison.low, comparison.high))
    return f"{text} ({low}..{high})"


def further_text(further: tuple[int | None, int | None]) -> str:
    """How many runs would settle it."""
    candidate, baseline = further
    if candidate is not None:
        return f"about {max(candidate, 1)} more candidate runs would settle it"
    if baseline is not None:
        return f"{NO_FURTHER_RUNS}; {baseline} more baseline runs would"
    return f"{NO_FURTHER_RUNS}, nor would more baseline runs"


def notes(case: SampledCase, precision: Precision) -> tuple[str, ...]:
    """What a reader has to know about this comparison whatever its verdict."""
    found = []
    if 1 < len(case.baseline) < 5:  # noqa: PLR2004 - STATISTICS section 5: five runs are recommended
        found.append(f"thin baseline: {len(case.baseline)} runs, 5 are recommended")
    if precision.walk > 0:
        found.append("this host drifts: record the baseline again, or compare interleaved")
    return tuple(found)


def _undecided(case: SampledCase, outcome: Outcome, comparison: Comparison, rule: SuiteRule) -> str:
    obstacles = outcome.obstacles
    looks = _looks(outcome, comparison)
    if obstacles == (Obstacle.IMPRECISE,):
        effect = (
            f"; sees {percent(comparison.detectable)} or more" if comparison.detectable is not None else ""
        )
        return f"{change_text(comparison)}: neither a change nor its absence is shown{effect}"
    if Obstacle.FEW_RUNS in obstacles and outcome.direction is not None:
        missing = outcome.situation.needs[outcome.direction] - comparison.candidate_runs
        return f"{looks}; needs {missing} more run{'s' if missing > 1 else ''}"
    if Obstacle.MODES in obstacles and outcome.direction is not None:
        needed = outcome.situation.needs[outcome.direction]
        return (
            f"{looks}, but baseline runs have modes: {needed} candidate runs would rule them out, "
            f"{rule.max_runs} are allowed"
        )
    if obstacles == (Obstacle.FEW_SAMPLES,):
        return f"{looks}: {few_samples_text(case, rule, outcome.situation.family)}"
    if obstacles == (Obstacle.RESOLUTION,):
        step = readable(case.resolution, case.metric.unit)
        return f"{looks}: the clock's step of {step} is coarser than the smallest effect"
    return f"{looks}, but {'; '.join(obstacles)}"


def _looks(outcome: Outcome, comparison: Comparison) -> str:
    if outcome.direction is None or comparison.worse_by is None:
        return change_text(comparison)
    word = "worse" if comparison.worse_by > 0 else "better"
    return f"looks {percent(abs(comparison.worse_by)).lstrip('+')} {word}"


def few_samples_text(case: SampledCase, rule: SuiteRule, family: int) -> str:
    """The smallest number of samples with which the test over samples could reach its level."""
    level = rule.alpha / family
    if case.tail_quantile is None:
        count = next(n for n in range(1, 1000) if smallest_p(n, n) <= level)
        return f"needs {count} samples per side"
    count = samples_needed(case.tail_quantile)
    while smallest_tail_p(count, count, case.tail_quantile) > level:
        count += max(count // 10, 1)
    return f"{metric_label(case.metric)} needs {count} samples per side"
