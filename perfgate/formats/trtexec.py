"""`trtexec --exportTimes`: one object for each query, with its parts in milliseconds.

Newer releases call the copies `h2dMs` and `d2hMs`, older ones `inMs` and `outMs`; both have `latencyMs` and
`computeMs`. The file names no benchmark and no machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS, Kind, Metric
from perfgate.formats.series import Collection, Series

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.series import Results

TOOL = "trtexec"
_MILLISECOND = 1e-3
_METRICS = {
    "latencyMs": KNOWN_METRICS["latency"],
    "computeMs": Metric(name="compute_time", unit="s", kind=Kind.SAMPLED),
}


def recognises(document: Document) -> bool:
    """A list whose entries have `computeMs` and `latencyMs`."""
    whole = document.json
    if whole is None or not isinstance(whole.value, list) or not whole.value:
        return False
    return whole.elements()[0].has("computeMs", "latencyMs")


def read(document: Document) -> Results:
    """The one benchmark of the file: the time of a query, and the part the kernels take."""
    queries = document.rows[0].elements()
    found = Collection(document.path)
    for key, metric in _METRICS.items():
        samples = tuple(query.member(key).number() * _MILLISECOND for query in queries)
        found.add(Series(benchmark=document.name or TOOL, metric=metric, runs=(samples,)))
    return found.results(TOOL)
