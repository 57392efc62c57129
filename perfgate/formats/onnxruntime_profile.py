"""ONNX Runtime's profile, a list of Chrome trace events: the durations of `model_run` are the samples.

The file names no benchmark. Profiling costs time itself: compare profiles with profiles only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.formats.series import Collection, Series

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "onnxruntime-profile"
_MICROSECOND = 1e-6
_MARKS = frozenset({"model_run", "session_initialization"})


def recognises(document: Document) -> bool:
    """Trace events of which one is of a session of this runtime."""
    whole = document.json
    if whole is None or not isinstance(whole.value, list):
        return False
    return any(_is_session(event) and event.value["name"] in _MARKS for event in whole.elements())


def read(document: Document) -> Results:
    """The one benchmark of the file, one sample for each run of the model."""
    samples = tuple(
        event.member("dur").number() * _MICROSECOND
        for event in document.rows[0].elements()
        if _is_session(event) and event.value["name"] == "model_run"
    )
    found = Collection(document.path)
    metric = KNOWN_METRICS["latency"]
    name, clock = document.name or TOOL, {"timer_resolution": str(_MICROSECOND)}  # it writes whole ones
    found.add(Series(benchmark=name, metric=metric, runs=(samples,), protocol=clock))
    return found.results(TOOL)


def _is_session(event: Node) -> bool:
    return (
        event.has("cat", "name", "dur")
        and event.value["cat"] == "Session"
        and isinstance(event.value["name"], str)
    )
