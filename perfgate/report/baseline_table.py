"""What an update of baselines changes, as a table for review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.baseline.summary import typical_value
from perfgate.core.units import percent, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

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
