"""The decision: every benchmark of a suite judged once, from records and policy alone.

A pure function: no clock, no files, no measuring. Whoever can take fresh runs calls
`stages.decide_in_stages`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from perfgate.core.verdict import PRECEDENCE, BenchmarkVerdict, Comparison, Verdict
from perfgate.gate.decision import Decision, JudgeOptions
from perfgate.gate.pairing import Pair, pair_records
from perfgate.gate.thresholds import Answer, Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.record import Record
    from perfgate.gate.thresholds import MetricPolicy, SuitePolicy


def judge(
    baselines: Mapping[str, Record],
    candidates: Mapping[str, Record],
    policy: SuitePolicy,
    *,
    options: JudgeOptions = JudgeOptions(),  # noqa: B008 - a frozen value
) -> Decision:
    """Judge a suite; keys are `Record.key`. Runs marked fresh were taken after the first judgement."""
    pairs = pair_records(baselines, candidates, policy, options.not_selected)
    verdicts = tuple(_benchmark_verdict(pair, _sampled_comparisons(pair), policy) for pair in pairs)
    return Decision(
        benchmarks=verdicts,
        exit_code=ExitCode.FAIL if any(item.is_failure for item in verdicts) else ExitCode.PASS,
        family_error=policy.suite.alpha,
    )


def _sampled_comparisons(pair: Pair) -> tuple[Comparison, ...]:
    return tuple(
        Comparison(
            metric=item.metric, verdict=Verdict.INCONCLUSIVE, reason="sampled metrics are not judged yet"
        )
        for item in pair.sampled
    )


def _benchmark_verdict(pair: Pair, sampled: tuple[Comparison, ...], policy: SuitePolicy) -> BenchmarkVerdict:
    comparisons = (*sampled, *pair.decided)
    if pair.flaw is not None:
        verdict, reason = pair.flaw.verdict, pair.flaw.reason
        answer = _answer(verdict, policy.for_metric(pair.key, "*"))
    else:
        worst = min(comparisons, key=lambda item: PRECEDENCE[item.verdict])
        verdict, reason = worst.verdict, worst.reason
        answer = _answer(verdict, policy.for_metric(pair.key, worst.metric.name))
    return BenchmarkVerdict(
        benchmark=pair.record.benchmark,
        device=pair.record.device,
        verdict=verdict,
        reason=reason,
        is_failure=answer is Answer.FAIL,
        is_warning=answer is Answer.WARN,
        comparisons=comparisons,
    )


def _answer(verdict: Verdict, policy: MetricPolicy) -> Answer:
    answers = {
        Verdict.INVALID: Answer.FAIL,
        Verdict.CHANGED: policy.on_changed,
        Verdict.MISSING: policy.on_missing,
        Verdict.NEW: policy.on_new,
        Verdict.REGRESSED: Answer.WARN if policy.level is Level.WARN else Answer.FAIL,
        Verdict.INCONCLUSIVE: policy.on_inconclusive,
    }
    return answers.get(verdict, Answer.PASS)
