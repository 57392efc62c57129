"""Records as a table: one row per benchmark and device, and what could not be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.baseline.summary import tracing_overhead, typical_value
from perfgate.core.units import percent, readable
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.record import Record


def record_lines(records: Mapping[str, Record], failed: Mapping[str, str]) -> list[str]:
    """A table of all metrics, tracing overhead, then one line per failure."""
    names = list(dict.fromkeys(metric.name for item in records.values() for metric in item.ruler.metrics))
    rows = []
    for record in records.values():
        cells = {metric.name: (typical_value(record, metric), metric.unit) for metric in record.ruler.metrics}
        values = [cells.get(name, (None, "")) for name in names]
        texts = ["" if value is None else readable(value, unit) for value, unit in values]
        rows.append([inert(record.benchmark), inert(record.device), *texts])
    alignment = ["left", "left", *["right"] * len(names)]
    head = ["benchmark", "device", *names]
    lines = (
        [tabulate(rows, head, tablefmt="simple", disable_numparse=True, colalign=alignment)] if rows else []
    )
    lines += [
        f"tracing overhead: {inert(record.key)} {percent(overhead)} (the samples are untraced)"
        for record in records.values()
        if (overhead := tracing_overhead(record)) is not None
    ]
    lines += [f"not measured: {inert(key)}: {inert(reason)}" for key, reason in sorted(failed.items())]
    lines += [inert(f"note: {record.key}: {note}") for record in records.values() for note in record.notes]
    return lines
