"""What an import took and what it left out, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.baseline.summary import typical_value
from perfgate.core.units import readable
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.record import Record

HEADERS = ("benchmark", "device", "metric", "runs", "samples", "value")


def import_lines(records: Iterable[Record], left_out: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """One table row per metric, then one line for each entry that was left out, then the records' notes.

    `left_out` holds file, benchmark, status and reason.
    """
    records = list(records)
    rows = [row for record in records for row in _rows(record)]
    alignment = ["left", "left", "left", "right", "right", "right"]
    lines = [tabulate(rows, HEADERS, tablefmt="simple", disable_numparse=True, colalign=alignment)]
    lines += [
        inert(f"left out, {status}: {benchmark}: {reason} ({path})")
        for path, benchmark, status, reason in left_out
    ]
    lines += [inert(f"note: {record.key}: {note}") for record in records for note in record.notes]
    return [*lines, f"{len(records)} benchmarks imported, {len(left_out)} entries left out"]


def _rows(record: Record) -> list[list[str]]:
    rows = []
    for metric in record.ruler.metrics:
        value = typical_value(record, metric)
        counts = [len(run.samples.get(metric.name, ())) for run in record.runs]
        samples = "exact" if not metric.is_sampled else _range(counts)
        rows.append(
            [
                inert(record.benchmark),
                inert(record.device),
                inert(metric.name),
                str(len(record.runs)) if metric.is_sampled else "",
                samples,
                "" if value is None else inert(readable(value, metric.unit)),
            ]
        )
    return rows


def _range(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return str(most) if least == most else f"{least}..{most}"
