"""MLPerf logs: LoadGen's summary, and `:::MLLOG` lines of LoadGen's detail log or of a training.

They hold results, not samples: each becomes one value. A training also has its epochs, which are samples.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS, Kind, Metric
from perfgate.formats.node import REMEDY, Node, parse_json
from perfgate.formats.series import Collection, Series, Status

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.series import Results

TOOL = "mlperf"
_MARK = ":::MLLOG "
_TITLE = "MLPerf Results Summary"
_LINE = re.compile(r"\s*(.+?)\s*: (.+)")
_MILLISECOND, _NANOSECOND = 1e-3, 1e-9
_RATE = re.compile(r"(result_)?(completed_|scheduled_)?samples[ _]per[ _]sec(ond)?", re.IGNORECASE)
_PERCENTILE = re.compile(
    r"(?:result_)?(\d+)(?:\.00)?(?:th)?[ _]percentile[ _](?:per_query_)?latency[ _]\(?ns\)?"
)
_HEADLINE = {"singlestream": "90", "multistream": "99"}  # the percentile that a scenario is ranked by


def recognises(document: Document) -> bool:
    """The summary's title, or a line with the log's mark."""
    return _TITLE in document.text or any(_MARK in line for line in document.lines)


def read(document: Document) -> Results:
    """The one benchmark of the log."""
    found = Collection(document.path)
    if _TITLE in document.text:
        facts = {match[1]: match[2].strip() for line in document.lines if (match := _LINE.fullmatch(line))}
        name = document.name or facts.get("SUT name", "") or TOOL
        _add_result(found, f"{name}/{facts.get('Scenario', '')}".rstrip("/"), facts, document.path)
        return found.results(TOOL)
    events = list(_events(document))
    if any(event.member("key").text() == "run_start" for event in events):
        _add_training(found, events, document.name)
    else:
        facts = {event.member("key").text(): str(event.value.get("value")) for event in events}
        scenario = facts.get("effective_scenario", "")
        name = f"{document.name or facts.get('sut_name', '') or TOOL}/{scenario}".rstrip("/")
        facts |= {"Scenario": scenario, "Result is": facts.get("result_validity", "")}
        _add_result(found, name, facts, document.path)
    return found.results(TOOL)


def _events(document: Document) -> list[Node]:
    events = []
    for number, line in enumerate(document.lines, 1):
        _, mark, text = line.partition(_MARK)
        if not mark:
            continue
        place = f"{document.path}:{number}"
        try:
            events.append(parse_json(text, place))
        except json.JSONDecodeError as problem:
            raise UnusableError(f"broken JSON, {problem.msg.lower()}", place, REMEDY) from None
    return events


def _add_result(found: Collection, name: str, facts: dict[str, str], path: str) -> None:
    """A rate for the scenarios that are ranked by one, else the percentile that the scenario is ranked by."""
    if facts.get("Result is") != "VALID":
        found.leave_out(name, Status.FAILED, f"LoadGen says {facts.get('Result is') or 'no result'}")
        return
    scenario = facts.get("Scenario", "")
    if not scenario:
        raise UnusableError("the log names no scenario", path, REMEDY)
    protocol = {"scenario": scenario}
    rates = [(key, text) for key, text in facts.items() if _RATE.fullmatch(key)]
    wanted = _HEADLINE.get(scenario.lower(), "")
    tails = [
        (key, text) for key, text in facts.items() if (m := _PERCENTILE.fullmatch(key)) and m[1] == wanted
    ]
    if tails:
        key, text = tails[0]
        metric = Metric(name=f"p{wanted}_latency", unit="s", kind=Kind.SAMPLED)
        factor = _NANOSECOND
    elif rates:
        key, text = rates[0]
        metric, factor = KNOWN_METRICS["throughput"], 1.0
    else:
        raise UnusableError("neither a rate nor a percentile of the scenario", path, REMEDY)
    value = _number(text, key, path) * factor
    found.add(
        Series(benchmark=name, metric=metric, runs=((value,),), summary=f"LoadGen's {key}", protocol=protocol)
    )


def _add_training(found: Collection, events: list[Node], given: str) -> None:
    keys = {event.member("key").text(): event for event in events}
    benchmark = keys.get("submission_benchmark")
    name = given or (str(benchmark.value.get("value")) if benchmark is not None else TOOL)
    start, stop = keys["run_start"], keys.get("run_stop")
    status = None if stop is None else stop.get("metadata")
    word = None if status is None else status.get("status")
    if stop is None or (word is not None and word.value != "success"):
        reason = "the run did not stop" if word is None else f"the run ended as {word.value!r}"
        found.leave_out(name, Status.FAILED, reason)
        return
    seconds = (stop.member("time_ms").number() - start.member("time_ms").number()) * _MILLISECOND
    metric = Metric(name="time_to_train", unit="s", kind=Kind.SAMPLED)
    found.add(Series(benchmark=name, metric=metric, runs=((seconds,),), summary="the time of one training"))
    epochs = _epochs(events)
    if epochs:
        # A benchmark of its own: the one value above would make every verdict on them invalid.
        metric = Metric(name="epoch_time", unit="s", kind=Kind.SAMPLED)
        found.add(Series(benchmark=f"{name}/epochs", metric=metric, runs=(tuple(epochs),)))


def _epochs(events: list[Node]) -> list[float]:
    epochs: list[float] = []
    begun: float | None = None
    for event in events:
        key = event.member("key").text()
        if key == "epoch_start":
            begun = event.member("time_ms").number()
        elif key == "epoch_stop" and begun is not None:
            epochs.append((event.member("time_ms").number() - begun) * _MILLISECOND)
            begun = None
    return epochs


def _number(text: str, key: str, path: str) -> float:
    try:
        return Node(float(text), path, f"/{key}").number()
    except ValueError:
        raise UnusableError(f"{key} is {text!r}, no number", path, REMEDY) from None
