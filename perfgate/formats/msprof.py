"""The CSV files of Ascend's msprof: `op_summary` (one row for each task), `op_statistic` (one for each type).

In `op_summary` the tasks of one operator name are its samples. `op_statistic` keeps an average only.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS
from perfgate.formats.node import REMEDY
from perfgate.formats.series import Collection, Series, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.formats.document import Document
    from perfgate.formats.series import Results

TOOL = "msprof"
_MICROSECOND = 1e-6
_SUMMARY = frozenset({"Op Name", "Task Duration(us)"})
_STATISTIC = frozenset({"OP Type", "Count", "Avg Time(us)"})
_LATENCY = KNOWN_METRICS["latency"]


def recognises(document: Document) -> bool:
    """The first line has the columns of one of the two files."""
    columns = {name.strip() for name in document.lines[0].split(",")}
    return columns >= _SUMMARY or columns >= _STATISTIC


def read(document: Document) -> Results:
    """Every operator, or every operator type with its core, as one benchmark; devices stay apart."""
    found = Collection(document.path)
    rows = list(_rows(document))
    if rows and rows[0][1].keys() >= _STATISTIC:
        _add_types(found, document.path, rows)
    else:
        _add_operators(found, document.path, rows)
    return found.results(TOOL)


def _rows(document: Document) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of every row.

    Raises:
        UnusableError: a row has not as many cells as there are columns (a file that was cut off).
    """
    reader = csv.reader(io.StringIO(document.text, newline=""), strict=True)
    try:
        columns = [name.strip() for name in next(reader)]
        if len(set(columns)) < len(columns):
            raise UnusableError("a column stands twice", f"{document.path}:1", REMEDY)
        if not (set(columns) >= _SUMMARY or set(columns) >= _STATISTIC):
            what = f"no columns {', '.join(sorted(_SUMMARY))}"
            raise UnusableError(what, f"{document.path}:1", "name an op_summary or op_statistic file")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(columns):
                what = f"{len(cells)} cells for {len(columns)} columns"
                raise UnusableError(what, f"{document.path}:{reader.line_num}", REMEDY)
            stripped = (cell.strip() for cell in cells)
            yield reader.line_num, dict(zip(columns, stripped, strict=True))
    except csv.Error as problem:
        raise UnusableError(f"broken CSV, {problem}", f"{document.path}:{reader.line_num}", REMEDY) from None


def _add_operators(found: Collection, path: str, rows: list[tuple[int, dict[str, str]]]) -> None:
    samples: dict[str, list[float]] = {}
    unknown: dict[str, int] = {}
    for line, row in rows:
        name = _named(row, row["Op Name"])
        if row["Task Duration(us)"] in {"N/A", ""}:
            unknown[name] = unknown.get(name, 0) + 1
            continue
        samples.setdefault(name, []).append(_duration(row["Task Duration(us)"], f"{path}:{line}"))
    for name, run in samples.items():
        found.add(Series(benchmark=name, metric=_LATENCY, runs=(tuple(run),)))
    for name, count in unknown.items():
        found.leave_out(name, Status.SKIPPED, f"{count} tasks without a duration")


def _add_types(found: Collection, path: str, rows: list[tuple[int, dict[str, str]]]) -> None:
    for line, row in rows:
        core = row.get("Core Type", "")
        name = _named(row, f"{row['OP Type']}/{core}" if core else row["OP Type"])
        value = _duration(row["Avg Time(us)"], f"{path}:{line}")
        summary = f"the mean of {row['Count']} tasks"
        found.add(Series(benchmark=name, metric=_LATENCY, runs=((value,),), summary=summary))


def _named(row: dict[str, str], name: str) -> str:
    """Several devices or models in one file have the same operators."""
    parts = [row.get("Model Name", ""), name]
    device = row.get("Device_id", "0")
    tail = f"@{device}" if device not in {"0", ""} else ""
    return "/".join(part for part in parts if part) + tail


def _duration(text: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UnusableError(f"{text!r} is no duration", place, REMEDY)
    return value * _MICROSECOND
