"""An outcome of the suite's tests as a comparison in the metric's own unit and direction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate.core.units import readable
from perfgate.core.verdict import Comparison, Verdict
from perfgate.gate import wording
from perfgate.gate.outcome import Obstacle, resample
from perfgate.stats.laws import t_quantile
from perfgate.stats.power import Margins, Precision, detectable_effect, further_runs
from perfgate.stats.tail import order_interval

if TYPE_CHECKING:
    from perfgate.gate.ground import Ground, Side
    from perfgate.gate.outcome import Outcome, Situation
    from perfgate.gate.sampled_case import SampledCase, SuiteRule

SHOWN_LEVEL = 0.975  # both bounds of a 95 % interval


def present(ground: Ground, side: Side, row: int, outcome: Outcome, rule: SuiteRule) -> Comparison:
    """The comparison of the case in this row.

    `low` and `high` are the run-level interval of the test that decides; with one baseline run they see the
    noise inside runs only, and a note says so. The bootstrap's interval of the ratio of medians stands
    beside.
    """
    case, situation = ground.cases[row], outcome.situation
    before = float(np.nanmean(ground.baseline.locations[row]))
    low, high = _interval(ground, side, row, outcome, rule)
    boot_low, boot_high = _bootstrap_interval(ground, side, row, outcome, rule)
    precision = _precision(ground, side, row, situation)
    comparison = Comparison(
        metric=case.metric,
        verdict=outcome.verdict,
        reason="",
        baseline=math.exp(case.sign * before),
        now=math.exp(case.sign * (before + situation.difference)),
        worse_by=wording.worse_share(situation.difference, case.sign),
        low=low,
        high=high,
        bootstrap_low=boot_low,
        bootstrap_high=boot_high,
        p_runs=None if len(case.baseline) == 1 else situation.p_runs[0],
        p_samples=situation.p_samples[0],
        baseline_runs=len(case.baseline),
        candidate_runs=int(side.runs[row]),
        detectable=_detectable(case, situation, rule),
        threshold=threshold_text(case),
        notes=(*wording.notes(case, precision), *_tail_notes(side, row, case)),
    )
    settled = _further(case, outcome, precision, rule)
    text = wording.reason(case, outcome, comparison, rule)
    if settled is not None:
        text += f"; {wording.further_text(settled)}"
    further = None if settled is None else settled[0]
    return msgspec.structs.replace(comparison, reason=text, further_runs=further)


def threshold_text(case: SampledCase) -> str:
    """The thresholds of a case with the rule that set each."""
    policy = case.policy
    key = "min_effect" if case.tail_quantile is None or policy.tail_effect is None else "tail_effect"
    return (
        f"min effect {100 * case.effect:g} % ({policy.origin(key)}), "
        f"equivalence {100 * policy.equivalence:g} % ({policy.origin('equivalence')})"
    )


def _interval(ground: Ground, side: Side, row: int, outcome: Outcome, rule: SuiteRule) -> tuple[float, float]:
    case, situation = ground.cases[row], outcome.situation
    if situation.is_constant:
        return 0.0, 0.0
    if len(case.baseline) > 1:
        width = float(t_quantile(SHOWN_LEVEL, situation.df)) * situation.error
        bounds = situation.difference - width, situation.difference + width
    else:
        inside = resample(ground, side, row, rule).bca
        bounds = inside.low, inside.high
    low, high = (wording.worse_share(bound, case.sign) for bound in bounds)
    return low, high


def _bootstrap_interval(
    ground: Ground, side: Side, row: int, outcome: Outcome, rule: SuiteRule
) -> tuple[float | None, float | None]:
    """BCa bounds over runs, where there are runs to draw; percentiles have none."""
    case = ground.cases[row]
    if case.tail_quantile is not None:
        return None, None
    voice = outcome.bootstrap or resample(ground, side, row, rule)
    if not voice.over_runs:
        return None, None
    low, high = (wording.worse_share(bound, case.sign) for bound in (voice.bca.low, voice.bca.high))
    return low, high


def _precision(ground: Ground, side: Side, row: int, situation: Situation) -> Precision:
    runs, new_runs = len(ground.cases[row].baseline), int(side.runs[row])
    return Precision(
        difference=situation.difference,
        variance=situation.variance,
        prior_df=ground.prior.df,
        runs=runs,
        new_runs=new_runs,
        walk=ground.drift.walk,
    )


def _detectable(case: SampledCase, situation: Situation, rule: SuiteRule) -> float | None:
    """What this comparison finds nine times in ten; unknown with one baseline run."""
    if len(case.baseline) == 1:
        return None
    return detectable_effect(situation.error, rule.alpha, situation.family)


def _further(
    case: SampledCase, outcome: Outcome, precision: Precision, rule: SuiteRule
) -> tuple[int | None, int | None] | None:
    """How many runs would settle an open question; None where more runs are not the answer."""
    if outcome.verdict is not Verdict.INCONCLUSIVE or rule.is_interleaved:
        return None
    if not {Obstacle.IMPRECISE, Obstacle.RUNS, Obstacle.SAMPLES} & set(outcome.obstacles):
        return None
    margins = Margins(
        min_effect=case.effect,
        equivalence=case.policy.equivalence,
        alpha=rule.alpha,
        family=outcome.situation.family,
    )
    return further_runs(precision, margins)


def _tail_notes(side: Side, row: int, case: SampledCase) -> tuple[str, ...]:
    """The candidate's percentile with its interval from order statistics of the pooled samples."""
    if case.tail_quantile is None:
        return ()
    bounds = order_interval(np.sort(np.concatenate(side.samples.runs_of(row))), case.tail_quantile)
    values = [
        None if bound is None else readable(bound if case.sign > 0 else 1 / bound, case.metric.unit)
        for bound in (bounds.low, bounds.high)
    ]
    label = wording.metric_label(case.metric)
    if values[0] is None:
        return (f"{label} cannot be bounded with so few samples",)
    if values[1] is None:
        sign = ">" if case.sign > 0 else "<"
        return (f"{label} now {sign} {values[0]} (too few samples for the other bound)",)
    return (f"{label} now {values[0]}..{values[1]}, within-run noise only",)
