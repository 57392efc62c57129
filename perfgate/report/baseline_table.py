"""Baselines as tables: what an update changes, what is there, what differs between two commits."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.baseline.summary import typical_value
from perfgate.core.units import percent, readable
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.record import Record

Row = tuple[str, "Record | None", "Record", bool]


def update_lines(updates: Sequence[Row]) -> list[str]:
    """One table row per metric that changed, one per new file, and the counts."""
    rows: list[list[str]] = []
    for path, previous, record, is_kept in updates:
        if not is_kept:
            rows += _rows(path, previous, record)
    written = sum(1 for update in updates if not update[3])
    kept = len(updates) - written
    counts = f"{written} written, {kept} left as they are (unchanged within the minimum effect)"
    if not rows:
        return [counts]
    table = tabulate(
        rows, ["file", "metric", "was", "is", "change"], tablefmt="simple", disable_numparse=True
    )
    return [table, "", counts, "nothing is committed: review `git diff`, then commit the files"]


def _rows(path: str, previous: Record | None, record: Record) -> list[list[str]]:
    rows = []
    for metric in record.ruler.metrics:
        now = typical_value(record, metric)
        before = None if previous is None else typical_value(previous, metric)
        if now is None or before == now:
            continue
        was = "new" if before is None else readable(before, metric.unit)
        change = "" if not before else percent(metric.sign * (now - before) / before)
        rows.append([path, metric.name, was, readable(now, metric.unit), change])
    return rows or [[path, "(settings)", "", "", ""]]


def list_lines(records: Iterable[Record], now: dt.datetime) -> list[str]:
    """One row per baseline: age in days, number of runs, who accepted it and why."""
    rows = [
        [
            inert(record.benchmark),
            inert(record.device),
            _age(record.provenance.date, now),
            str(len(record.runs)),
            inert(record.provenance.author),
            inert(record.provenance.reason),
        ]
        for record in sorted(records, key=lambda item: item.key)
    ]
    if not rows:
        return ['no baselines: perfgate baseline update --reason "first baselines"']
    head = ["benchmark", "device", "age", "runs", "author", "reason"]
    return [tabulate(rows, head, tablefmt="simple", disable_numparse=True)]


def record_details(record: Record) -> list[str]:
    """Everything of one record that a person may ask for, line by line."""
    origin = record.provenance
    lines = [f"{inert(record.key)} on backend {record.backend}, {len(record.runs)} runs"]
    for metric in record.ruler.metrics:
        value = typical_value(record, metric)
        if value is not None:
            lines.append(f"  {metric.name}: {readable(value, metric.unit)}")
    settings = record.subject.settings
    lines += [inert(f"  {item.place} {item.name} {item.value or '(set)'}") for item in settings]
    if origin.commit:
        lines.append(
            inert(f"  accepted at {origin.commit[:7]} on {origin.date} by {origin.author}: {origin.reason}")
        )
    if origin.accepted_regression:
        lines.append(inert(f"  accepted regression: {origin.accepted_regression}"))
    return lines


def difference_lines(pairs: Sequence[tuple[str, Record | None, Record | None]]) -> list[str]:
    """One row per metric that differs; new and removed baselines by a word."""
    rows: list[list[str]] = []
    for key, before, now in pairs:
        if before is None or now is None:
            rows.append([inert(key), "new" if before is None else "removed", "", "", ""])
        else:
            rows += [[inert(key), *row[1:]] for row in _rows(key, before, now)]
    if not rows:
        return ["no difference"]
    head = ["benchmark", "metric", "was", "is", "change"]
    return [tabulate(rows, head, tablefmt="simple", disable_numparse=True)]


def _age(date: str, now: dt.datetime) -> str:
    """Whole days since an ISO 8601 date, "" for a record that nobody accepted."""
    try:
        accepted = dt.datetime.fromisoformat(date)
    except ValueError:
        return ""
    return f"{(now - accepted).days} d"
