"""Baseline and candidate records side by side: per benchmark either one flaw or one comparison per metric."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.machine import TEST
from perfgate.core.verdict import Comparison, Verdict
from perfgate.gate.budgets import budget_flaw, new_budgets
from perfgate.gate.evidence import (
    Flaw,
    Side,
    device_flaw,
    exact_flaw,
    interleaving_flaw,
    machine_flaw,
    ruler_flaw,
    sample_flaw,
)
from perfgate.gate.exact import compare_exact
from perfgate.gate.limits import apply_limit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.metric import Metric
    from perfgate.core.record import Record
    from perfgate.gate.decision import JudgeOptions
    from perfgate.gate.thresholds import SuitePolicy


MISSING = Flaw(verdict=Verdict.MISSING, reason="has a baseline but was not measured", side=Side.CANDIDATE)
NO_METRIC = Flaw(
    verdict=Verdict.INVALID, reason="no metric is defined, so nothing can be compared", side=Side.CANDIDATE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPair:
    """A sampled metric whose samples are clean on both sides; the suite's tests decide it."""

    metric: Metric
    baseline: Record
    candidate: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One benchmark: a flaw of the whole, or the metrics that are decided already and those that need a test.

    `flaws` are the flaws of single metrics, in step with the `invalid` comparisons among `decided`. Beside a
    flaw of the whole, `decided` holds broken budgets only.
    """

    key: str
    record: Record  # the candidate's, or the baseline's where that is all there is
    flaw: Flaw | None = None
    is_device_flaw: bool = False
    decided: tuple[Comparison, ...] = ()
    sampled: tuple[SampledPair, ...] = ()
    flaws: tuple[Flaw, ...] = ()


def pair_records(
    baselines: Mapping[str, Record],
    candidates: Mapping[str, Record],
    policy: SuitePolicy,
    options: JudgeOptions,
) -> tuple[Pair, ...]:
    """Every benchmark of either side in order of its key; baselines that were not selected are left out."""
    pairs = [
        _new(key, record, policy)
        if key not in baselines
        else _pair(key, baselines[key], record, policy, options)
        for key, record in candidates.items()
    ]
    pairs += [
        Pair(key=key, record=baselines[key], flaw=MISSING)
        for key in baselines.keys() - candidates.keys() - options.not_selected
    ]
    return tuple(sorted(pairs, key=lambda pair: pair.key))


def _new(key: str, record: Record, policy: SuitePolicy) -> Pair:
    """A benchmark without a baseline can still break its budgets; one that cannot be judged is invalid."""
    broken = budget_flaw(key, record, policy)
    if broken is not None:
        return Pair(key=key, record=record, flaw=broken)
    flaw = Flaw(verdict=Verdict.NEW, reason=f"no baseline; run: {_accepting(record)} --reason ...")
    return Pair(key=key, record=record, flaw=flaw, decided=new_budgets(key, record, policy))


def _accepting(record: Record) -> str:
    """The command that accepts a new benchmark; only pytest can measure one that a test defines."""
    if TEST in record.context:
        measured = shlex.quote(record.context[TEST])
        return f"pytest --perfgate --perfgate-records new {measured} and perfgate baseline update --from new"
    return f"perfgate baseline update -k {shlex.quote(record.benchmark)}"


def _pair(key: str, baseline: Record, candidate: Record, policy: SuitePolicy, options: JudgeOptions) -> Pair:
    device = device_flaw(baseline, candidate)
    flaw = device or machine_flaw(baseline, candidate) or ruler_flaw(baseline, candidate)
    if flaw is None and options.is_interleaved:
        flaw = interleaving_flaw(baseline, candidate)
    if flaw is not None:
        return Pair(key=key, record=candidate, flaw=flaw, is_device_flaw=device is not None)
    return _pair_metrics(key, baseline, candidate, policy)


def _pair_metrics(key: str, baseline: Record, candidate: Record, policy: SuitePolicy) -> Pair:
    decided: list[Comparison] = []
    sampled: list[SampledPair] = []
    flaws: list[Flaw] = []
    for metric in {item.name: item for item in candidate.ruler.metrics}.values():
        check = sample_flaw if metric.is_sampled else exact_flaw
        flaw = check(baseline, metric, Side.BASELINE) or check(candidate, metric, Side.CANDIDATE)
        if flaw is not None:
            flaws.append(flaw)
            decided.append(Comparison(metric=metric, verdict=flaw.verdict, reason=flaw.reason))
        elif metric.is_sampled:
            sampled.append(SampledPair(metric=metric, baseline=baseline, candidate=candidate))
        else:
            limits = policy.for_metric(key, metric.name)
            now = candidate.exact[metric.name]
            comparison = compare_exact(metric, baseline.exact[metric.name], now, limits)
            decided.append(apply_limit(comparison, limits, now=now, surely=now))
    if not decided and not sampled:
        return Pair(key=key, record=candidate, flaw=NO_METRIC)
    return Pair(key=key, record=candidate, decided=tuple(decided), sampled=tuple(sampled), flaws=tuple(flaws))
