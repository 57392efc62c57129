"""The values of a metric out of what a command printed or wrote: by regex, JSON pointer or known format."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from perfgate.core.errors import UnusableError
from perfgate.formats.document import read_document
from perfgate.formats.registry import reader
from perfgate.formats.series import Status

if TYPE_CHECKING:
    from perfgate.backends.launch import Reading

SHOWN = 60  # characters of a foreign value in a message


class ReadingError(ValueError):
    """What is wrong with the values; the caller knows the command and the benchmark."""


def read_values(reading: Reading, texts: tuple[str, ...]) -> tuple[float, ...]:
    """All values in the order they stand, in the reading's unit; the first of the texts that has any counts.

    Raises:
        ReadingError: no value, or one that is no finite number above zero.
    """
    find = _of_format if reading.format else _matches if reading.pointer is None else _pointed
    found: list[object] = []
    for text in texts:
        found = find(reading, text)
        if found:
            break
    else:
        raise ReadingError(f"no match of {reading.regex!r} for {reading.metric}")
    return tuple(_number(reading, value) * reading.factor for value in found)


def _matches(reading: Reading, text: str) -> list[object]:
    pattern = re.compile(reading.regex, re.MULTILINE)
    group = "value" if "value" in pattern.groupindex else 1
    return [match[group] for match in pattern.finditer(text) if match[group] is not None]


def _of_format(reading: Reading, text: str) -> list[object]:
    """All samples of the metric in a file of a tool that the importers know.

    Raises:
        ReadingError: the file is not of that format, or has no such benchmark or metric.
    """
    try:
        results = reader(reading.format).read(read_document(text.encode(), reading.file or "the output"))
    except UnusableError as problem:
        raise ReadingError(f"{problem.what} at {problem.where}") from None
    failed = next((item for item in results.left_out if item.benchmark == reading.name), None)
    if failed is not None and failed.status is Status.FAILED:
        raise ReadingError(f"{failed.benchmark} failed, {failed.reason}")
    names = list(dict.fromkeys(series.benchmark for series in results.series))
    if reading.name not in names and (reading.name or len(names) != 1):
        raise ReadingError(f"no benchmark {reading.name!r}; `name` one of {', '.join(names) or 'none'}")
    mine = [series for series in results.series if series.benchmark == (reading.name or names[0])]
    series = next((item for item in mine if item.metric.name == reading.metric), None)
    if series is None:
        known = ", ".join(item.metric.name for item in mine)
        raise ReadingError(f"no metric {reading.metric} of {mine[0].benchmark}, only {known}")
    if series.metric.unit != reading.unit:
        raise ReadingError(f"{reading.metric} is in {series.metric.unit}, not in {reading.unit}")
    return [value for run in series.runs for value in run]


def _pointed(reading: Reading, text: str) -> list[object]:
    """One value, or every value of an array.

    Raises:
        ReadingError: no JSON, or nothing at the pointer.
    """
    try:
        value = json.loads(text)
    except ValueError as problem:
        why = str(problem) if text.strip() else "nothing there"
        raise ReadingError(f"no JSON for {reading.metric}, {why[:1].lower()}{why[1:]}") from None
    except RecursionError:
        raise ReadingError(f"the JSON for {reading.metric} is nested too deep") from None
    pointer = reading.pointer or ""
    for step in pointer.split("/")[1:]:
        value = _inside(value, step.replace("~1", "/").replace("~0", "~"), reading)
    if isinstance(value, list):
        if not value:
            raise ReadingError(f"an empty array at {pointer or '/'} for {reading.metric}")
        return value
    return [value]


def _inside(value: Any, step: str, reading: Reading) -> Any:  # noqa: ANN401 - JSON data
    if isinstance(value, dict) and step in value:
        return value[step]
    # RFC 6901 section 4: an index has no leading zero.
    if isinstance(value, list) and re.fullmatch(r"0|[1-9][0-9]*", step) and int(step) < len(value):
        return value[int(step)]
    raise ReadingError(f"nothing at {reading.pointer} for {reading.metric}: {step!r} is not there")


def _number(reading: Reading, value: object) -> float:
    shown = f"{reading.metric} is {str(value)[:SHOWN]!r}" if isinstance(value, str) else ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ReadingError(f"{reading.metric} is {json.dumps(value)[:SHOWN]}, no number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ReadingError(f"{shown or reading.metric}, no number") from None
    if not math.isfinite(number) or number <= 0:
        raise ReadingError(f"{reading.metric} is {str(value)[:SHOWN]}; want finite values above 0")
    return number
