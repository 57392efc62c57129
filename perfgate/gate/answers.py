"""What each verdict does to the build: policy, levels and waivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.machine import TEST
from perfgate.core.verdict import PRECEDENCE, BenchmarkVerdict, Comparison, Verdict
from perfgate.gate.thresholds import Answer, Level
from perfgate.gate.wording import change_text, metric_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.gate.evidence import Flaw
    from perfgate.gate.pairing import Pair
    from perfgate.gate.thresholds import MetricPolicy, SuitePolicy, Waiver

_SEVERITY = {Answer.FAIL: 0, Answer.WARN: 1, Answer.PASS: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredComparison:
    """A comparison with the policy's answer; `waiver` is the one that softened it."""

    comparison: Comparison
    answer: Answer
    is_gated: bool = True
    waiver: Waiver | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredBenchmark:
    """A benchmark's verdict, the answers behind it, and the metrics whose waivers were used."""

    verdict: BenchmarkVerdict
    comparisons: tuple[AnsweredComparison, ...] = ()

    @property
    def waived_metrics(self) -> tuple[str, ...]:
        """Metrics whose failure became a warning."""
        return tuple(item.comparison.metric.name for item in self.comparisons if item.waiver is not None)


def verdict_answer(verdict: Verdict, policy: MetricPolicy) -> Answer:
    """The policy's answer to a verdict; `invalid` always fails."""
    answers = {
        Verdict.INVALID: Answer.FAIL,
        Verdict.CHANGED: policy.on_changed,
        Verdict.MISSING: policy.on_missing,
        Verdict.NEW: policy.on_new,
        Verdict.REGRESSED: Answer.WARN if policy.level is Level.WARN else Answer.FAIL,
        Verdict.INCONCLUSIVE: policy.on_inconclusive,
    }
    return answers.get(verdict, Answer.PASS)


def answer_comparison(
    comparison: Comparison, policy: MetricPolicy, waiver: Waiver | None, *, is_anchor: bool = False
) -> AnsweredComparison:
    """The answer to one comparison.

    A waiver covers a regression up to its size, never a broken budget, and nothing that cannot be put in
    percent.
    """
    if is_anchor or not policy.is_gated:
        return AnsweredComparison(comparison=comparison, answer=Answer.PASS, is_gated=False)
    answer = verdict_answer(comparison.verdict, policy)
    if comparison.is_near_budget and answer is Answer.PASS:
        answer = Answer.WARN
    covered = (
        waiver is not None
        and comparison.verdict is Verdict.REGRESSED
        and not comparison.is_over_budget
        and comparison.worse_by is not None
        and comparison.worse_by <= waiver.up_to
    )
    if covered and answer is Answer.FAIL:
        return AnsweredComparison(comparison=comparison, answer=Answer.WARN, waiver=waiver)
    return AnsweredComparison(comparison=comparison, answer=answer)


def answer_flaw(pair: Pair, flaw: Flaw, policy: SuitePolicy) -> AnsweredBenchmark:
    """The verdict of a benchmark that could not be compared as a whole."""
    answer = verdict_answer(flaw.verdict, policy.for_metric(pair.key, "*"))
    reason = flaw.reason
    if flaw.verdict is Verdict.MISSING and policy.is_removed(pair.key):
        answer, reason = Answer.PASS, f"{reason}; the policy lists it as removed"
    answered = [
        answer_comparison(comparison, policy.for_metric(pair.key, comparison.metric.name), None)
        for comparison in pair.decided
    ]
    for item in answered:
        answer = min(answer, item.answer, key=_SEVERITY.__getitem__)
        reason += f"; {item.comparison.reason}"
    return _benchmark(pair, flaw.verdict, reason, answered, answer)


def answer_benchmark(pair: Pair, answered: Sequence[AnsweredComparison]) -> AnsweredBenchmark:
    """The worst gated comparison decides; among equals the one that fails, then the larger change."""
    gated = [item for item in answered if item.is_gated]
    if not gated:
        return _benchmark(pair, Verdict.INCONCLUSIVE, "no metric is gated", answered, Answer.WARN)
    worst = min(gated, key=_rank)
    reason = _headline(worst, gated)
    answer = min((item.answer for item in gated), key=_SEVERITY.__getitem__)
    return _benchmark(pair, worst.comparison.verdict, reason, answered, answer)


def find_waiver(waivers: Mapping[tuple[str, str], Waiver], pair: Pair, metric: str) -> tuple[str, str] | None:
    """The key of the waiver of a metric of a benchmark: by record key, or by name for every device."""
    for name in (pair.key, pair.record.benchmark):
        if (name, metric) in waivers:
            return name, metric
    return None


def _rank(item: AnsweredComparison) -> tuple[int, int, float]:
    comparison = item.comparison
    return PRECEDENCE[comparison.verdict], _SEVERITY[item.answer], -abs(comparison.worse_by or 0.0)


def _headline(worst: AnsweredComparison, gated: Sequence[AnsweredComparison]) -> str:
    comparison = worst.comparison
    reason = comparison.reason
    if comparison.verdict is Verdict.REGRESSED and comparison.metric.quantile is not None:
        reason = f"regressed ({metric_label(comparison.metric)}): {reason}{_calm_location(worst, gated)}"
    if worst.waiver is not None:
        waiver = worst.waiver
        reason += f", waived by {waiver.owner} until {waiver.expires}: {waiver.reason}"
    return reason


def _calm_location(worst: AnsweredComparison, gated: Sequence[AnsweredComparison]) -> str:
    """A percentile got worse while the location of the same quantity did not.

    A mean would hide it.
    """
    quantity = worst.comparison.metric.name.partition("_")[2]
    for item in gated:
        other = item.comparison
        if other.metric.name == quantity and other.verdict is not Verdict.REGRESSED:
            return f", while {quantity} itself is {other.verdict} {change_text(other)}".rstrip()
    return ""


def _benchmark(
    pair: Pair, verdict: Verdict, reason: str, answered: Sequence[AnsweredComparison], answer: Answer
) -> AnsweredBenchmark:
    return AnsweredBenchmark(
        verdict=BenchmarkVerdict(
            test=pair.record.context.get(TEST, ""),
            benchmark=pair.record.benchmark,
            device=pair.record.device,
            verdict=verdict,
            reason=reason,
            is_failure=answer is Answer.FAIL,
            is_warning=answer is Answer.WARN,
            comparisons=tuple(item.comparison for item in answered),
        ),
        comparisons=tuple(answered),
    )
