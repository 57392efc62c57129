"""The messages of `cargo criterion --message-format=json`, one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.formats.criterion import TOOL, per_iteration
from perfgate.formats.series import Collection, Series, Status
from perfgate.formats.unit_text import seconds

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

_COMPLETE = "benchmark-complete"
_REASONS = (_COMPLETE, "group-complete")


def recognises(document: Document) -> bool:
    """The first message is one of this tool; the compiler's, which have a reason too, may stand before."""
    return any(row.has("reason") and row.value["reason"] in _REASONS for row in document.rows)


def read(document: Document) -> Results:
    """Every complete benchmark by its id."""
    found = Collection(document.path)
    for row in document.rows:
        if row.member("reason").text() == _COMPLETE:
            _add(found, row)
    return found.results(TOOL)


def _add(found: Collection, row: Node) -> None:
    name, unit = row.member("id").text(), row.member("unit").text()
    factor = seconds(unit)
    if factor is None:
        found.leave_out(name, Status.NOT_READ, f"it measures {unit!r}, which is no time")
        return
    counts, values = row.member("iteration_count"), row.member("measured_values")
    if values.elements():
        samples, summary = per_iteration(counts, values, factor), ""
    else:
        samples, summary = (row.member("typical").member("estimate").number() * factor,), "the typical value"
    metric = KNOWN_METRICS["latency"]
    found.add(Series(benchmark=name, metric=metric, runs=(samples,), summary=summary))
