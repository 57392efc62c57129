"""hyperfine's `--export-json`: newer files with `times`, older ones with statistics only.

One file is one session and becomes one run. All times are in seconds, whatever `--time-unit` shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS, Kind, Metric
from perfgate.formats.series import Collection, Series, Status

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "hyperfine"
# The resident size of a process has noise, unlike the memory of a memory plan.
_MEMORY = Metric(name="peak_memory", unit="B", kind=Kind.SAMPLED)


def recognises(document: Document) -> bool:
    """`results` whose entries have a `command` and a `mean`."""
    whole = document.json
    if whole is None or not whole.has("results") or not isinstance(whole.value["results"], list):
        return False
    results = whole.member("results").elements()
    return bool(results) and results[0].has("command", "mean")


def read(document: Document) -> Results:
    """Every command of the file by its text or its `--command-name`."""
    found = Collection(document.path)
    for item in document.rows[0].member("results").elements():
        _add(found, item)
    return found.results(TOOL)


def _add(found: Collection, item: Node) -> None:
    name = item.member("command").text()
    failed = _failed_calls(item)
    if failed:
        found.leave_out(name, Status.FAILED, failed)
        return
    times = item.get("times")
    if times is not None and times.elements():
        samples, summary = times.numbers(), ""
    else:
        word = "median" if item.has("median") else "mean"
        samples, summary = (item.member(word).number(),), f"the {word} of its calls"
    found.add(Series(benchmark=name, metric=KNOWN_METRICS["latency"], runs=(samples,), summary=summary))
    memory = item.get("memory_usage_byte")
    if memory is not None and any(memory.numbers()):  # all zero where the system does not tell
        found.add(Series(benchmark=name, metric=_MEMORY, runs=(memory.numbers(),)))


def _failed_calls(item: Node) -> str:
    """Calls that ended with another code than 0, which `--ignore-failure` lets through; null is a signal."""
    codes = item.get("exit_codes")
    if codes is None:
        return ""
    wrong = [node.value for node in codes.elements() if node.value != 0]
    if not wrong:
        return ""
    first = "by a signal" if wrong[0] is None else f"with code {wrong[0]}"
    return f"{len(wrong)} of {len(codes.value)} calls failed, the first ended {first}"
