"""The decision: every benchmark of a suite judged once, from records and policy alone.

A pure function: no clock, no files, no measuring. Whoever can take fresh runs calls
`stages.decide_in_stages`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from perfgate.core.verdict import PRECEDENCE, Comparison, Verdict
from perfgate.gate.answers import (
    AnsweredBenchmark,
    answer_benchmark,
    answer_comparison,
    answer_flaw,
    find_waiver,
)
from perfgate.gate.budgets import sampled_bound
from perfgate.gate.cases import sampled_cases, suite_rule
from perfgate.gate.common_line import LEVEL, CommonLine, common_line
from perfgate.gate.comparison import present
from perfgate.gate.decision import Decision, JudgeOptions
from perfgate.gate.evidence_log import decided_evidence, flaw_evidence, sampled_evidence
from perfgate.gate.exit_status import device_sentence, exit_reasons
from perfgate.gate.limits import apply_limit
from perfgate.gate.pairing import Pair, pair_records
from perfgate.gate.sampled import SampledDecision, judge_sampled
from perfgate.gate.suite_notes import suite_notes
from perfgate.gate.thresholds import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.record import Record
    from perfgate.gate.sampled_case import SampledCase, SuiteRule
    from perfgate.gate.thresholds import SuitePolicy

    Key = tuple[str, str]  # record key and metric


@dataclass(frozen=True, slots=True, kw_only=True)
class _Presented:
    """A sampled comparison with its line of evidence."""

    comparison: Comparison
    evidence: Mapping[str, object]


def judge(
    baselines: Mapping[str, Record],
    candidates: Mapping[str, Record],
    policy: SuitePolicy,
    *,
    options: JudgeOptions = JudgeOptions(),  # noqa: B008 - a frozen value
) -> Decision:
    """Judge a suite; keys are `Record.key`. Runs marked fresh were taken after the first judgement."""
    pairs = pair_records(baselines, candidates, policy, options)
    rule = suite_rule(pairs, policy, options)
    cases = sampled_cases(pairs, policy)
    gated = [case for case in cases if _is_gated(case, options)]
    shown = [case for case in cases if not _is_gated(case, options)]
    decision = judge_sampled(gated, rule)
    # What is not gated takes no part in the error control; it is judged apart, for show.
    presented = _present(gated, decision, rule) | _present(shown, judge_sampled(shown, rule), rule)
    answered = tuple(_answer(pair, presented, policy, options) for pair in pairs)
    lines = _common_lines(decision, presented, policy, options)
    is_fatal = policy.suite.common_shift is Answer.FAIL
    failing = [line for line in lines if line.verdict is Verdict.REGRESSED and is_fatal]
    reasons = exit_reasons(pairs, answered, failing)
    sentence = device_sentence(pairs)
    return Decision(
        benchmarks=tuple(item.verdict for item in answered),
        exit_code=reasons[0][0] if reasons else ExitCode.PASS,
        family_error=policy.suite.alpha,
        common_verdict=min(
            (line.verdict for line in lines), key=PRECEDENCE.__getitem__, default=Verdict.UNCHANGED
        ),
        wanted=decision.wanted,
        common_mode="\n".join(line.text for line in lines),
        notes=((sentence,) if sentence else ()) + suite_notes(decision, rule),
        reasons=reasons,
        evidence=tuple(line for pair in pairs for line in _evidence(pair, presented)),
        used_waivers=_used_waivers(pairs, answered, options),
    )


def _is_gated(case: SampledCase, options: JudgeOptions) -> bool:
    return case.policy.is_gated and case.key not in options.anchors


def _present(
    cases: Sequence[SampledCase], decision: SampledDecision, rule: SuiteRule
) -> dict[Key, _Presented]:
    presented = {}
    for case, outcome, (number, row) in zip(cases, decision.outcomes, decision.places, strict=True):
        ground, side = decision.grounds[number], decision.sides[number]
        bound = sampled_bound(ground, side, row, outcome.situation)
        comparison = apply_limit(
            present(ground, side, row, outcome, rule), case.policy, now=bound.now, surely=bound.surely
        )
        evidence = sampled_evidence(ground, side, row, (outcome, comparison), rule)
        presented[case.key, case.metric.name] = _Presented(comparison=comparison, evidence=evidence)
    return presented


def _answer(
    pair: Pair, presented: Mapping[Key, _Presented], policy: SuitePolicy, options: JudgeOptions
) -> AnsweredBenchmark:
    if pair.flaw is not None:
        return answer_flaw(pair, pair.flaw, policy)
    sampled = [presented[pair.key, item.metric.name].comparison for item in pair.sampled]
    answered = []
    for comparison in (*sampled, *pair.decided):
        name = comparison.metric.name
        found = find_waiver(options.waivers, pair, name)
        waiver = None if found is None else options.waivers[found]
        limits = policy.for_metric(pair.key, name)
        is_anchor = pair.key in options.anchors
        answered.append(answer_comparison(comparison, limits, waiver, is_anchor=is_anchor))
    return answer_benchmark(pair, answered)


def _common_lines(
    decision: SampledDecision,
    presented: Mapping[Key, _Presented],
    policy: SuitePolicy,
    options: JudgeOptions,
) -> list[CommonLine]:
    lines = []
    for ground in decision.grounds:
        case = ground.cases[0]
        shifts = [
            case.sign * math.log(item.comparison.now / item.comparison.baseline)
            for (key, name), item in presented.items()
            if key in options.anchors and name == case.metric.name
            if item.comparison.now and item.comparison.baseline
        ]
        level = LEVEL / len(decision.grounds)
        line = common_line(ground, policy.suite.equivalence, shifts, level=level)
        # A percentile's common mode is noisier than its quantity's: it is shown only when it matters.
        is_shown = case.metric.quantile is None or (line and line.verdict is not Verdict.UNCHANGED)
        if line is not None and is_shown:
            lines.append(line)
    return lines


def _evidence(pair: Pair, presented: Mapping[Key, _Presented]) -> list[Mapping[str, object]]:
    lines: list[Mapping[str, object]] = []
    if pair.flaw is not None:
        lines.append(flaw_evidence(pair.key, pair.flaw.verdict, pair.flaw.reason))
    lines += [presented[pair.key, item.metric.name].evidence for item in pair.sampled]
    lines += [decided_evidence(pair.key, comparison) for comparison in pair.decided]
    return lines


def _used_waivers(
    pairs: Sequence[Pair], answered: Sequence[AnsweredBenchmark], options: JudgeOptions
) -> tuple[Key, ...]:
    used = [
        key
        for pair, item in zip(pairs, answered, strict=True)
        for metric in item.waived_metrics
        if (key := find_waiver(options.waivers, pair, metric)) is not None
    ]
    return tuple(dict.fromkeys(used))
