"""How sure a candidate's own runs are of its value: what a budget is judged by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.verdict import Comparison, Verdict
from perfgate.gate.evidence import Side, exact_flaw, metric_samples, sample_flaw
from perfgate.gate.limits import apply_limit
from perfgate.gate.sampled_case import SampledCase
from perfgate.stats.laws import t_quantile
from perfgate.stats.run_samples import lay_out

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.core.record import Record
    from perfgate.gate.evidence import Flaw
    from perfgate.gate.ground import Ground
    from perfgate.gate.ground import Side as CandidateSide
    from perfgate.gate.outcome import Situation
    from perfgate.gate.thresholds import MetricPolicy, SuitePolicy

LEVEL = 0.975  # the better end of a 95 % interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The value now, and the better end of its run-level interval; None where runs cannot bound it."""

    now: float
    surely: float | None


def sampled_bound(ground: Ground, side: CandidateSide, row: int, situation: Situation) -> Bound:
    """The candidate's location as measured, common mode included.

    Its interval takes the suite's estimate of run variance.
    """
    case, runs = ground.cases[row], int(side.runs[row])
    centre = float(np.nanmean(side.raw[row]))
    if len(case.baseline) == 1 and runs == 1:
        return Bound(now=math.exp(case.sign * centre), surely=None)
    width = float(t_quantile(LEVEL, situation.df)) * math.sqrt(situation.variance / runs)
    return Bound(now=math.exp(case.sign * centre), surely=math.exp(case.sign * (centre - width)))


def new_budgets(key: str, record: Record, policy: SuitePolicy) -> tuple[Comparison, ...]:
    """The broken budgets of a benchmark without a baseline, from its own runs."""
    found = []
    for metric in {item.name: item for item in record.ruler.metrics}.values():
        limits = policy.for_metric(key, metric.name)
        if limits.limit is None:
            continue
        bound = _own_bound(key, record, metric, limits)
        if bound is None:
            continue
        empty = Comparison(metric=metric, verdict=Verdict.NEW, reason="no baseline", now=bound.now)
        judged = apply_limit(empty, limits, now=bound.now, surely=bound.surely)
        if judged.is_over_budget:
            found.append(judged)
    return tuple(found)


def budget_flaw(key: str, record: Record, policy: SuitePolicy) -> Flaw | None:
    """Why a gated budget of a benchmark without a baseline cannot be judged; None where all can."""
    for metric in record.ruler.metrics:
        limits = policy.for_metric(key, metric.name)
        if limits.is_gated and limits.limit is not None:
            flaw = _own_flaw(record, metric)
            if flaw is not None:
                return flaw
    return None


def _own_flaw(record: Record, metric: Metric) -> Flaw | None:
    check = sample_flaw if metric.is_sampled else exact_flaw
    return check(record, metric, Side.CANDIDATE)


def _own_bound(key: str, record: Record, metric: Metric, limits: MetricPolicy) -> Bound | None:
    if _own_flaw(record, metric) is not None:
        return None
    if not metric.is_sampled:
        return Bound(now=record.exact[metric.name], surely=record.exact[metric.name])
    runs = tuple(np.asarray(metric_samples(run, metric), float) for run in record.runs)
    case = SampledCase(key=key, metric=metric, policy=limits, baseline=runs, candidate=runs)
    locations = lay_out([runs], [case.sign]).locations([case.statistic])[0]
    centre = float(locations.mean())
    if locations.size == 1:
        return Bound(now=math.exp(case.sign * centre), surely=None)
    error = float(locations.std(ddof=1)) / math.sqrt(locations.size)
    width = float(t_quantile(LEVEL, locations.size - 1)) * error
    return Bound(now=math.exp(case.sign * centre), surely=math.exp(case.sign * (centre - width)))
