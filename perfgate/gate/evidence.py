"""What may be compared at all: each pair of records becomes flaws or pairs of clean samples, never a guess.

STATISTICS section 1. Samples are never dropped, clamped or repaired here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from perfgate.core.machine import SIMULATED, machine_differences
from perfgate.core.verdict import Verdict

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.core.record import Record, Ruler, Run

MIN_SAMPLES = 5  # STATISTICS section 1
LEAST_VALUE, LARGEST_VALUE = 1e-100, 1e100  # beyond any unit; ratios and squares inside stay finite


class Side(StrEnum):
    """Which record a flaw is in."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"
    BOTH = "both sides"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Why something cannot be compared: `invalid` or `changed`, in words, and whose fault it is."""

    verdict: Verdict
    reason: str
    side: Side = Side.BOTH


def metric_samples(run: Run, metric: Metric) -> tuple[float, ...]:
    """The samples of a metric in one run; a percentile without samples of its own uses those of its quantity.

    `p99_latency` is a percentile of `latency`.
    """
    own = run.samples.get(metric.name)
    if own is None and metric.quantile is not None:
        own = run.samples.get(metric.name.partition("_")[2])
    return () if own is None else own


def device_flaw(baseline: Record, candidate: Record) -> Flaw | None:
    """The simulated device or the cost model is not the baseline's: no number can be compared."""
    parts = []
    if baseline.ruler.device_digest != candidate.ruler.device_digest:
        digests = (baseline.ruler.device_digest, candidate.ruler.device_digest)
        parts.append(f"device {candidate.device} is described differently ({digests[0]!r} -> {digests[1]!r})")
    if baseline.ruler.cost_model != candidate.ruler.cost_model:
        parts.append(f"cost model {baseline.ruler.cost_model!r} -> {candidate.ruler.cost_model!r}")
    return Flaw(verdict=Verdict.INVALID, reason="; ".join(parts), side=Side.BASELINE) if parts else None


def machine_flaw(baseline: Record, candidate: Record) -> Flaw | None:
    """Wall-clock times from another machine; simulated times do not depend on the machine."""
    if baseline.backend == SIMULATED and candidate.backend == SIMULATED:
        return None
    differences = machine_differences(baseline.context, candidate.context)
    if not differences:
        return None
    reason = f"other machine: {', '.join(differences)}; compare interleaved on one machine"
    return Flaw(verdict=Verdict.INVALID, reason=reason, side=Side.BASELINE)


def ruler_flaw(baseline: Record, candidate: Record) -> Flaw | None:
    """The benchmark is defined differently, so no verdict; names every part that moved."""
    parts = ruler_differences(baseline.ruler, candidate.ruler)
    if baseline.backend != candidate.backend:
        parts = (f"backend {baseline.backend} -> {candidate.backend}", *parts)
    if not parts:
        return None
    reason = f"{'; '.join(parts)}; the ruler moved, so no verdict: accept a new baseline"
    return Flaw(verdict=Verdict.CHANGED, reason=reason)


def ruler_differences(baseline: Ruler, candidate: Ruler) -> tuple[str, ...]:
    """One text per input, protocol key or metric definition that differs, with both values."""
    return (
        *_mapping_differences("input", baseline.inputs, candidate.inputs),
        *_mapping_differences("protocol", baseline.protocol, candidate.protocol),
        *_mapping_differences("metric", _metric_texts(baseline), _metric_texts(candidate)),
    )


def _metric_texts(ruler: Ruler) -> dict[str, str]:
    return {
        metric.name: " ".join(
            [metric.kind, metric.unit, f"{metric.direction} is better"]
            + ([] if metric.quantile is None else [f"quantile {metric.quantile}"])
        )
        for metric in ruler.metrics
    }


def _mapping_differences(kind: str, before: dict[str, str], after: dict[str, str]) -> tuple[str, ...]:
    texts = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            texts.append(f"{kind} {name} is gone (was {before[name]})")
        elif name not in before:
            texts.append(f"{kind} {name} is new ({after[name]})")
        elif before[name] != after[name]:
            texts.append(f"{kind} {name} {before[name]} -> {after[name]}")
    return tuple(texts)


def interleaving_flaw(baseline: Record, candidate: Record) -> Flaw | None:
    """Interleaved runs that do not come in pairs."""
    counts = len(baseline.runs), len(candidate.runs)
    if counts[0] == counts[1] and counts[0] > 1:
        return None
    reason = f"interleaved runs must come in pairs, two at the least; got {counts[0]} and {counts[1]}"
    return Flaw(verdict=Verdict.INVALID, reason=reason, side=Side.CANDIDATE)


def sample_flaw(record: Record, metric: Metric, side: Side) -> Flaw | None:
    """The first reason why the samples of a metric cannot be used, with run, sample index and value."""
    if metric.quantile is not None and not 0 < metric.quantile < 1:
        reason = f"{metric.name}: a quantile of {metric.quantile} is not between 0 and 1"
        return Flaw(verdict=Verdict.INVALID, reason=reason, side=side)
    if not record.runs:
        return Flaw(verdict=Verdict.INVALID, reason=f"{side}: no runs", side=side)
    for run in record.runs:
        place = f"{side} run {run.id}"
        values = metric_samples(run, metric)
        for index, value in enumerate(values):
            if not LEAST_VALUE <= value <= LARGEST_VALUE:
                reason = f"{place}, sample {index}: {metric.name} is {value}; want finite values above 0"
                return Flaw(verdict=Verdict.INVALID, reason=reason, side=side)
        if len(values) < MIN_SAMPLES:
            reason = f"{place}: {len(values)} samples of {metric.name}; needs {MIN_SAMPLES}"
            return Flaw(verdict=Verdict.INVALID, reason=reason, side=side)
    return None


def exact_flaw(record: Record, metric: Metric, side: Side) -> Flaw | None:
    """Why an exact metric cannot be used: absent, not finite, or different between runs."""
    value = record.exact.get(metric.name)
    if value is None:
        return Flaw(verdict=Verdict.INVALID, reason=f"{side}: {metric.name} was not measured", side=side)
    seen = {value, *(item for run in record.runs for item in run.samples.get(metric.name, ()))}
    if not all(math.isfinite(item) for item in seen):
        return Flaw(
            verdict=Verdict.INVALID, reason=f"{side}: {metric.name} is not a finite number", side=side
        )
    if len(seen) > 1:
        reason = (
            f"{side}: {metric.name} is declared exact but differs between runs ({min(seen)} to {max(seen)}); "
            "declare it sampled"
        )
        return Flaw(verdict=Verdict.INVALID, reason=reason, side=side)
    return None
