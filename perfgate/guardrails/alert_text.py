"""Conditions of alerts: `latency>40ms for 3s`, `peak_memory.rate>100MB/min`, `time_to_oom<5min`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from perfgate.config.suggest import near_names
from perfgate.core.errors import UnusableError
from perfgate.guardrails.metric_names import (
    METRIC_NAMES,
    canonical_metric,
    number_types,
    unit_hint,
    without_unit,
)
from perfgate.guardrails.quantity import NumberType, Quantity, read_quantity
from perfgate.guardrails.rule import AlertCondition, Reading
from perfgate.guardrails.shape import shown
from perfgate.guardrails.value_test import Sign

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node

_CONDITION = re.compile(
    r"(?P<name>[\w.]+?)(?:\.(?P<reading>rate|swing))?\s*(?P<sign><=|>=|<|>)\s*(?P<limit>\S+(?: ?[^\W\d]+)?)"
)
_PER = {"s": 1, "min": 60, "h": 3600}
_MEMORY = "peak_memory"  # what `time_to_oom` looks at


def read_alert_condition(node: Node) -> AlertCondition:
    """One condition; the limit of a rate is kept per second.

    Raises:
        UnusableError: grammar, metric or unit; with what to write.
    """
    text = node.scalar()
    head, _, time = text.partition(" for ")
    head, per = _without_rate(head.strip())
    match = _CONDITION.fullmatch(head)
    if match is None:
        raise UnusableError(f"{shown(text)} is no condition", str(node.place), "write latency>40ms for 3s")
    reading = Reading(match["reading"] or Reading.NOW)
    metric = canonical_metric(match["name"])
    if match["name"] == Reading.TIME_TO_OOM:
        metric, reading = _MEMORY, Reading.TIME_TO_OOM
    if metric is None:
        near = near_names(match["name"], METRIC_NAMES)
        raise UnusableError(
            f"unknown metric {shown(match['name'])}",
            str(node.place),
            f"did you mean {near[0]!r}?" if near else f"known: {', '.join(METRIC_NAMES)}",
        )
    if (per is not None) is not (reading is Reading.RATE):
        raise UnusableError(
            f"{shown(text)} is no condition", str(node.place), "write a rate as peak_memory.rate>100MB/min"
        )
    if time and reading is not Reading.NOW:
        raise UnusableError(
            f"{shown(text)} is no condition",
            str(node.place),
            f"leave out `for {time.strip()}`: {reading} looks at the whole series",
        )
    return AlertCondition(
        metric=metric,
        reading=reading,
        sign=Sign(match["sign"]),
        limit=_limit(metric, reading, match["limit"], per, node),
        for_seconds=_duration(time, node),
        written=text,
    )


def _without_rate(text: str) -> tuple[str, str | None]:
    body, slash, unit = text.rpartition("/")
    return (body, unit) if slash and unit in _PER else (text, None)


def _limit(metric: str, reading: Reading, text: str, per: str | None, node: Node) -> Quantity:
    if reading is Reading.TIME_TO_OOM:
        quantity = read_quantity(text)
        if quantity is None or quantity.type is not NumberType.TIME:
            raise UnusableError(f"{shown(text)} is no time", str(node.place), "write time_to_oom<5min")
        return quantity
    quantity = read_quantity(without_unit(metric, text))
    if quantity is None or quantity.type not in number_types(metric):
        raise UnusableError(
            f"{shown(text)} is no limit for {metric}", str(node.place), f"write it {unit_hint(metric)}"
        )
    if per is None:
        return quantity
    return Quantity(value=quantity.value / _PER[per], type=quantity.type, written=f"{quantity.written}/{per}")


def _duration(text: str, node: Node) -> Fraction:
    if not text:
        return Fraction(0)
    quantity = read_quantity(text)
    if quantity is None or quantity.type is not NumberType.TIME or quantity.value < 0:
        raise UnusableError(f"{shown(text)} is no time", str(node.place), "write `for 3s`")
    return quantity.value
