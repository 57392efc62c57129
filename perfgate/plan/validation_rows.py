"""From verdicts and predictions to the rows of a validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.validation import ValidationRow
from perfgate.diagnose.amounts import METRICS
from perfgate.plan.choice import choose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.verdict import BenchmarkVerdict, Comparison

ALIASES = {
    "p50": "p50_latency",
    "p95": "p95_latency",
    "p99": "p99_latency",
    "mem_copy": "copied_bytes",
    "memory": "peak_memory",
    "energy": "energy_j",
}
SPEEDUP = "speedup_ratio"
_LABELS = {"copied_bytes": "copied_bytes, host-device"}
_PER_UNIT = {"ps": 1e12, "nJ": 1e9}  # amounts of a diagnosis in one unit of the metric


def metric_rows(verdict: BenchmarkVerdict, predicted: Mapping[str, float]) -> list[ValidationRow]:
    """One row for each judged metric."""
    return [comparison_row(item, predicted.get(item.metric.name)) for item in verdict.comparisons]


def comparison_row(item: Comparison, predicted: float | None) -> ValidationRow:
    """The raw values of a comparison with its verdict."""
    name = item.metric.name
    return ValidationRow(
        name=name,
        label=_LABELS.get(name, name),
        unit=item.metric.unit,
        before=item.baseline,
        after=item.now,
        change=change(item.baseline, item.now),
        verdict=str(item.verdict),
        reason=item.reason,
        predicted=predicted,
    )


def change(before: float | None, after: float | None) -> float | None:
    """After over before, less 1; None from zero or from nothing."""
    return None if not before or after is None else after / before - 1


def speedup_row(rows: Iterable[ValidationRow]) -> ValidationRow | None:
    """Before over after of the latency: 2.0 is twice as fast."""
    latency = next((row for row in rows if row.name == "latency"), None)
    if latency is None or not latency.before or not latency.after:
        return None
    ratio = latency.before / latency.after
    return ValidationRow(name=SPEEDUP, label=SPEEDUP, unit="x", before=1.0, after=ratio, change=ratio - 1)


def promised_values(diagnosis: Diagnosis, least_gain: float, include: tuple[int, ...]) -> dict[str, float]:
    """What a diagnosis promises of its fixes: the focus metric, and peak memory of a single one.

    Several fixes that are not all of them were not simulated together: nothing is promised then.
    """
    taken = [choice for choice in choose(diagnosis, least_gain, include) if not choice.reason]
    simulated = [fix for fix in diagnosis.fixes if fix.after is not None]
    if len(taken) == 1:
        amount, peak = taken[0].fix.after, taken[0].fix.peak_memory
    elif taken and len(taken) == len(simulated):
        amount, peak = diagnosis.together, None
    else:
        return {}
    promised = {} if peak is None else {"peak_memory": float(peak)}
    if amount is not None:
        promised[METRICS[diagnosis.focus]] = amount / _PER_UNIT.get(diagnosis.unit, 1.0)
    return promised
