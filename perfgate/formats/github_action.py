"""github-action-benchmark: its store `data.js`, and the list of its `custom...IsBetter` tools.

They keep one value for each benchmark, never samples. A store knows which tool wrote it and so which way is
better; a list does not, so there only a unit that says it is taken, or the format has to be named.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError, UsageError
from perfgate.core.metric import Direction, Kind, Metric
from perfgate.formats.node import REMEDY, Node, parse_json
from perfgate.formats.series import Collection, Series, Status
from perfgate.formats.unit_text import scale_of

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.series import Results

TOOL = "github-action-benchmark"
_START = "window.BENCHMARK_DATA"
_SMALLER = frozenset(
    {
        "cargo",
        "go",
        "googlecpp",
        "catch2",
        "julia",
        "jmh",
        "benchmarkdotnet",
        "benchmarkluau",
        "customSmallerIsBetter",
    }
)
_BIGGER = frozenset({"benchmarkjs", "pytest", "customBiggerIsBetter"})


def recognises(document: Document) -> bool:
    """The assignment of a store, or a list whose entries have `name`, `unit` and `value`."""
    if document.text.lstrip().startswith(_START):
        return True
    whole = document.json
    if whole is None:
        return False
    if whole.has("entries", "lastUpdate"):
        return True
    return isinstance(whole.value, list) and bool(whole.value) and _is_entry(whole.elements()[0])


def read(document: Document) -> Results:
    """The newest values of every suite of a store, or all of a list."""
    store = _store(document)
    if store is None:
        return read_list(document, None)
    found = Collection(document.path)
    for suite, entries in store.member("entries").members().items():
        commits = entries.elements()
        if not commits:
            found.leave_out(suite, Status.FAILED, "the suite has no entry")
            continue
        _add_commit(found, suite, commits[-1])
        if len(commits) > 1:
            reason = f"{len(commits) - 1} older commits; the newest is read"
            found.leave_out(suite, Status.NOT_READ, reason)
    return found.results(TOOL)


def read_list(document: Document, direction: Direction | None) -> Results:
    """The entries of a custom list; None as direction: the unit has to say it.

    Raises:
        UsageError: it does not.
    """
    if document.json is None:
        raise UnusableError("no list of benchmarks", document.path, REMEDY)
    found = Collection(document.path)
    for item in document.json.elements():
        found.add(_series(item, item.member("name").text(), direction))
    return found.results(TOOL)


def _is_entry(item: Node) -> bool:
    return item.has("name", "unit", "value") and isinstance(item.value["value"], int | float)


def _store(document: Document) -> Node | None:
    text = document.text.strip()
    if not text.startswith(_START):
        whole = document.json
        return whole if whole is not None and whole.has("entries") else None
    try:
        return parse_json(text.partition("=")[2].strip().rstrip(";"), document.path)
    except json.JSONDecodeError as problem:
        what = f"broken JSON after {_START} =, {problem.msg.lower()}"
        raise UnusableError(what, f"{document.path}:{problem.lineno}", REMEDY) from None


def _add_commit(found: Collection, suite: str, entry: Node) -> None:
    tool = entry.member("tool")
    if tool.text() not in _SMALLER | _BIGGER:
        raise tool.refusal(f"unknown tool {tool.value!r}", "give a newer perfgate")
    direction = Direction.LOWER if tool.value in _SMALLER else Direction.HIGHER
    for item in entry.member("benches").elements():
        found.add(_series(item, f"{suite}/{item.member('name').text()}", direction))


def _series(item: Node, name: str, direction: Direction | None) -> Series:
    unit = item.member("unit").text()
    scale, value = scale_of(unit), item.member("value").number()
    if scale is None and direction is None:
        what = f"the unit {unit!r} does not say which way is better"
        raise UsageError(what, item.place, "give --format custom-smaller or --format custom-bigger")
    if scale is None:
        better = direction or Direction.LOWER
        metric = Metric(name="value", unit=unit or "count", direction=better, kind=Kind.SAMPLED)
        return Series(benchmark=name, metric=metric, runs=((value,),), summary=_summary(item))
    usual = scale.metric()
    better = direction or usual.direction
    metric = Metric(name=usual.name, unit=usual.unit, direction=better, kind=usual.kind)
    summary = _summary(item) if metric.is_sampled else ""
    return Series(benchmark=name, metric=metric, runs=((value * scale.factor,),), summary=summary)


def _summary(item: Node) -> str:
    spread = item.get("range")
    return "the one value of the file" + ("" if spread is None else f", with a range of {spread.value}")
