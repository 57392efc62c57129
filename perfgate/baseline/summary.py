"""One number per metric of a record, for people: lists, diffs and provenance. Never used to decide."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from perfgate.core.machine import TRACED
from perfgate.core.metric import KNOWN_METRICS

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.core.record import Record


def typical_value(record: Record, metric: Metric) -> float | None:
    """The exact value, or the median of all samples (the quantile of a percentile metric).

    None: not there.
    """
    if not metric.is_sampled:
        return record.exact.get(metric.name)
    name = metric.name if metric.quantile is None else metric.name.partition("_")[2]
    samples = sorted(value for run in record.runs for value in run.samples.get(name, ()))
    if not samples:
        return None
    if metric.quantile is None:
        return statistics.median(samples)
    return samples[min(len(samples) - 1, int(metric.quantile * len(samples)))]


def tracing_overhead(record: Record) -> float | None:
    """(traced - untraced) / untraced of one call: .2 is 20 %; None where nothing was traced on a clock.

    The samples of a record are untraced; its profile comes from the traced calls.
    """
    traced = record.context.get(TRACED)
    untraced = typical_value(record, KNOWN_METRICS["latency"])
    try:
        return float(traced or "") / (untraced or 0.0) - 1
    except (ValueError, ZeroDivisionError):
        return None


def largest_change(old: Record, new: Record) -> tuple[str, float] | None:
    """The metric that changed most and by how much (positive is worse), None when no value changed."""
    changes = []
    for metric in new.ruler.metrics:
        before, after = typical_value(old, metric), typical_value(new, metric)
        if before is not None and after is not None and before > 0 and before != after:
            changes.append((metric.name, metric.sign * (after - before) / before))
    return max(changes, key=lambda change: abs(change[1]), default=None)
