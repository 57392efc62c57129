"""The metrics of a suite's entry: names that perfgate knows, or sources in what a command reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.backends.launch import Reading
from perfgate.backends.registry import ONNXRUNTIME
from perfgate.backends.timed_run import CLOCK_METRICS
from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import UsageError
from perfgate.core.machine import SIMULATED
from perfgate.core.metric import KNOWN_METRICS, Direction, Kind, Metric, known_metric
from perfgate.core.units import read_unit
from perfgate.formats.registry import NAMES as FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.measure.suite_schema import MetricEntry

    Where = Callable[..., str]

_NAME = re.compile(r"[A-Za-z][\w.-]{0,59}")
_UNIT = re.compile(r"[\w%/.^-]{1,20}")
_EXACT = {ONNXRUNTIME: ("kernel_count",)}  # what a timed backend counts beside its clock


def known_metrics(names: Sequence[str], backend: str, where: Where) -> tuple[Metric, ...]:
    """Metrics by name.

    Raises:
        UsageError: no name, an unknown one, or one that the backend does not take.
    """
    if not names:
        raise UsageError("an empty list of metrics", where("metrics"), "name at least one metric")
    for name in names:
        if known_metric(name) is None:
            what = f"unknown metric {name!r}"
            raise UsageError(what, where("metrics"), did_you_mean(name, KNOWN_METRICS))
        if backend != SIMULATED and name not in _offered(backend):
            what = f"the backend {backend} does not measure {name!r}"
            raise UsageError(what, where("metrics"), f"use {', '.join(_offered(backend))}")
    chosen = (known_metric(name) for name in dict.fromkeys(names))
    return tuple(metric for metric in chosen if metric is not None)


def _offered(backend: str) -> tuple[str, ...]:
    percentiles = [name for name, metric in KNOWN_METRICS.items() if metric.quantile is not None]
    return (*CLOCK_METRICS, *percentiles, *_EXACT.get(backend, ()))


def reported_metrics(
    entries: Mapping[str, MetricEntry], where: Where
) -> tuple[tuple[Metric, ...], tuple[Reading, ...]]:
    """Metrics that a command reports, and where they stand.

    A known name without a source is the process's own (`latency: {}`), or a percentile of `latency`.

    Raises:
        UsageError: with the place of the metric.
    """
    if not entries:
        raise UsageError("no metrics", where("metrics"), "name at least one metric")
    metrics, readings = [], []
    for name, entry in entries.items():
        place = where("metrics", name)
        if not _NAME.fullmatch(name):
            raise UsageError(f"the metric {name!r}", place, "use letters, digits, `_`, `-` and `.`")
        if (entry.regex, entry.pointer, entry.format) == (None, None, None):
            metrics.append(_own_metric(name, entry, place))
            continue
        metric, reading = _reported(name, entry, place)
        metrics.append(metric)
        readings.append(reading)
    return tuple(metrics), tuple(readings)


def _own_metric(name: str, entry: MetricEntry, place: str) -> Metric:
    others = (entry.name, entry.file, entry.unit, entry.direction)
    if name not in _offered("") or any(other is not None for other in others):
        what = f"the metric {name!r} has no source"
        raise UsageError(what, place, "say where its values stand: `regex`, `pointer` or `format`")
    return KNOWN_METRICS[name]


def _reported(name: str, entry: MetricEntry, place: str) -> tuple[Metric, Reading]:
    given = [key for key in ("regex", "pointer", "format") if getattr(entry, key) is not None]
    if len(given) > 1:
        what = f"both `{given[0]}` and `{given[1]}` for {name!r}"
        raise UsageError(what, place, "keep one of them")
    _check_source(entry, place)
    unit, factor, direction = _scale(name, entry, place)
    known = KNOWN_METRICS.get(name)
    if known is not None and (known.unit != unit or known.direction != direction):
        what = f"{name} is in {known.unit}, {known.direction} is better, not in {entry.unit}"
        raise UsageError(what, place, "correct the unit, or give the metric another name")
    # What the command reports is taken as it is: its own percentile is a value, not a sample of the latency.
    metric = Metric(name=name, unit=unit, direction=direction, kind=Kind.SAMPLED)
    reading = Reading(
        metric=name,
        unit=unit,
        factor=1.0 if entry.format else factor,  # a reader of a format answers in stored units
        regex=entry.regex or "",
        pointer=entry.pointer,
        format=entry.format or "",
        name=entry.name or "",
        file=entry.file or "",
    )
    return metric, reading


def _check_source(entry: MetricEntry, place: str) -> None:
    if entry.pointer is not None and entry.pointer and not entry.pointer.startswith("/"):
        remedy = "a JSON pointer starts with `/`, as `/results/0/mean`"
        raise UsageError(f"the pointer {entry.pointer!r}", place, remedy)
    if entry.format is not None and entry.format not in FORMATS:
        what = f"unknown format {entry.format!r}"
        raise UsageError(what, place, did_you_mean(entry.format, FORMATS))
    if entry.name is not None and entry.format is None:
        raise UsageError("`name` without `format`", place, "it names a benchmark in a tool's own file")
    if entry.regex is not None:
        try:
            pattern = re.compile(entry.regex)
        except (re.error, OverflowError, RecursionError) as problem:
            what = f"the regex {entry.regex!r} is broken, {problem}"
            raise UsageError(what, place, "mend it; in YAML, single quotes keep backslashes") from None
        if pattern.groups != 1 and "value" not in pattern.groupindex:
            what = f"the regex {entry.regex!r} has {pattern.groups} groups"
            raise UsageError(what, place, "put the number, and only it, into one group `( )`")


def _scale(name: str, entry: MetricEntry, place: str) -> tuple[str, float, Direction]:
    """Stored unit, factor and direction."""
    usual = KNOWN_METRICS.get(name)
    if entry.unit is None and entry.format is not None and usual is not None:
        return usual.unit, 1.0, usual.direction
    if entry.unit is None:
        raise UsageError(f"the metric {name!r} has no unit", place, "add `unit: ms`, or what it is in")
    known = read_unit(entry.unit)
    direction = None if entry.direction is None else Direction(entry.direction)
    if known is not None:
        better = Direction.HIGHER if known[0].endswith("/s") else Direction.LOWER
        return *known, direction or better
    if direction is None or not _UNIT.fullmatch(entry.unit):
        remedy = "use ns us ms s, B KiB MiB, J, count, 1/s, or add `direction: lower` or `higher`"
        raise UsageError(f"unknown unit {entry.unit!r}", place, remedy)
    return entry.unit, 1.0, direction
