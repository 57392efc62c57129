"""Bencher Metric Format: benchmark, measure, one value with optional bounds.

Units are those of Bencher's built-in measures; another measure has its unit on Bencher's server only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS, Kind, Metric
from perfgate.formats.series import Collection, Series, Status

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "bencher"
_MEASURES = {
    "latency": (KNOWN_METRICS["latency"], 1e-9),
    "throughput": (KNOWN_METRICS["throughput"], 1.0),
    "build-time": (Metric(name="build_time", unit="s", kind=Kind.SAMPLED), 1.0),
    "file-size": (Metric(name="file_size", unit="B"), 1.0),
    "instructions": (Metric(name="instructions", unit="count"), 1.0),
    "l1-accesses": (Metric(name="l1_accesses", unit="count"), 1.0),
    "l2-accesses": (Metric(name="l2_accesses", unit="count"), 1.0),
    "ram-accesses": (Metric(name="ram_accesses", unit="count"), 1.0),
    "estimated-cycles": (Metric(name="estimated_cycles", unit="cycles"), 1.0),
}


def recognises(document: Document) -> bool:
    """Objects in objects in an object, the innermost with a `value`."""
    whole = document.json
    if whole is None or not isinstance(whole.value, dict) or not whole.value:
        return False
    return all(_is_benchmark(item) for item in whole.members().values())


def read(document: Document) -> Results:
    """Every built-in measure of every benchmark."""
    found = Collection(document.path)
    for name, measures in document.rows[0].members().items():
        for measure, node in measures.members().items():
            if measure not in _MEASURES:
                reason = f"measure {measure!r}: its unit and direction are not in the file"
                found.leave_out(name, Status.NOT_READ, reason)
                continue
            metric, factor = _MEASURES[measure]
            value = node.member("value").number() * factor
            summary = "the one value of the file" if metric.is_sampled else ""
            found.add(Series(benchmark=name, metric=metric, runs=((value,),), summary=summary))
    return found.results(TOOL)


def _is_benchmark(item: Node) -> bool:
    if not isinstance(item.value, dict) or not item.value:
        return False
    return all(measure.has("value") for measure in item.members().values())
