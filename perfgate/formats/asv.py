"""airspeed velocity's result files `results/<machine>/<commit>-<environment>.json`, versions 1 and 2.

One file is one process as far as it tells: samples of several processes are one list. Units stand in
`results/benchmarks.json`; where that is not found, the name's first word says it, as asv itself has it.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.formats.series import Collection, Series, Status
from perfgate.formats.unit_text import scale_of

if TYPE_CHECKING:
    from perfgate.core.metric import Metric
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "asv"
MOST_COMBINATIONS = 100_000
_COLUMNS = ("result", "params", "samples")
_KINDS = (  # the first word of a name, its unit, and the metric where the unit alone does not name it
    (re.compile(r"[Tt]ime(raw)?([A-Z_]|$)"), "seconds", ""),
    (re.compile(r"[Pp]eak[Mm]em([A-Z_]|$)"), "bytes", "peak_memory"),
    (re.compile(r"[Mm]em([A-Z_]|$)"), "bytes", "memory"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """The result of one combination of parameters, its samples if it has any, and what they are."""

    value: Node
    samples: Node | None
    factor: float
    metric: Metric


def recognises(document: Document) -> bool:
    """An object with `commit_hash`, `results` and `params`."""
    return document.json is not None and document.json.has("commit_hash", "results", "params")


def read(document: Document) -> Results:
    """Every benchmark of the file, one for each combination of parameters."""
    whole = document.rows[0]
    version = whole.member("version")
    if version.value not in (1, 2):
        what = f"unknown version {version.value!r} of an asv result file, known are 1 and 2"
        raise version.refusal(what, "write the file with an older asv, or give a newer perfgate")
    rows = _rows_1(whole) if version.value == 1 else _rows_2(whole)
    found = Collection(document.path)
    units = _units(document)
    for name, row in rows.items():
        _add_all(found, name, row, units.get(name))
    machine = whole.member("params")
    known = {key: str(node.value) for key, node in machine.members().items()}
    context = {
        "cpu_model": known.get("cpu", ""),
        "cpu_count": known.get("num_cpu", ""),
        "os_release": known.get("os", ""),
        "runtime_version": f"Python {known['python']}" if known.get("python") else "",
    }
    system = known.get("os", "").partition(" ")[0]
    platform = "-".join(part for part in (system, known.get("arch", "")) if part)
    return found.results(TOOL, context=context, platform=platform)


def _rows_1(whole: Node) -> dict[str, dict[str, Node]]:
    """Version 1: a plain value, or an object with `result`, `params`, `samples`."""
    rows = {}
    for name, item in whole.member("results").members().items():
        parts = item.members() if isinstance(item.value, dict) else {"result": item}
        rows[name] = {key: parts[key] for key in _COLUMNS if key in parts}
    return rows


def _rows_2(whole: Node) -> dict[str, dict[str, Node]]:
    """Version 2: an array in the order of `result_columns`, cut after its last value."""
    columns = [item.text() for item in whole.member("result_columns").elements()]
    rows = {}
    for name, item in whole.member("results").members().items():
        cells = item.elements()
        if len(cells) > len(columns):
            raise item.refusal(f"{len(cells)} cells for {len(columns)} columns")
        rows[name] = {key: cell for key, cell in zip(columns, cells, strict=False) if key in _COLUMNS}
    return rows


def _add_all(found: Collection, name: str, row: dict[str, Node], unit: str | None) -> None:
    names = [f"{name}{suffix}" for suffix in _suffixes(row.get("params"))]
    result = row.get("result")
    if result is None or result.value is None:
        for full in names:
            found.leave_out(full, Status.FAILED, "asv has no result")
        return
    values = result.elements() if isinstance(result.value, list) else [result]
    if len(values) != len(names):
        raise result.refusal(f"{len(values)} results for {len(names)} combinations of parameters")
    usual, metric_name = _kind_of_name(name)
    scale = scale_of(usual if unit is None else unit)
    if scale is None:
        for full in names:
            reason = f"its unit {unit or 'is not in the file'}: which way is better is not known"
            found.leave_out(full, Status.NOT_READ, reason)
        return
    samples = row.get("samples")
    kept = samples.elements() if samples is not None and samples.value is not None else []
    # Version 1 may have the one list of a benchmark without parameters as it is.
    if samples is not None and kept and len(names) == 1 and not isinstance(kept[0].value, list):
        kept = [samples]
    metric = scale.metric(metric_name if scale.unit == "B" else "")
    for index, (full, value) in enumerate(zip(names, values, strict=True)):
        own = kept[index] if index < len(kept) else None
        _add(found, full, _Cell(value=value, samples=own, factor=scale.factor, metric=metric))


def _add(found: Collection, name: str, cell: _Cell) -> None:
    value, samples = cell.value, cell.samples
    if value.value is None:
        found.leave_out(name, Status.FAILED, "asv has no result")
    elif isinstance(value.value, float) and math.isnan(value.value):
        found.leave_out(name, Status.SKIPPED, "asv has NaN, which is how it writes a skipped benchmark")
    elif samples is not None and samples.value is not None and samples.elements():
        run = tuple(item * cell.factor for item in samples.numbers())
        found.add(Series(benchmark=name, metric=cell.metric, runs=(run,)))
    else:
        summary = "the median of its samples" if cell.metric.is_sampled else ""
        run = (value.number() * cell.factor,)
        found.add(Series(benchmark=name, metric=cell.metric, runs=(run,), summary=summary))


def _suffixes(params: Node | None) -> list[str]:
    """One for each combination, in the order of the results; [""] without parameters."""
    if params is None or params.value is None:
        return [""]
    choices = [[str(item.value) for item in axis.elements()] for axis in params.elements()]
    if not choices:
        return [""]
    if math.prod(map(len, choices)) > MOST_COMBINATIONS:
        raise params.refusal(f"more than {MOST_COMBINATIONS:,} combinations of parameters")
    return [f"({', '.join(chosen)})" for chosen in itertools.product(*choices)]


def _kind_of_name(name: str) -> tuple[str, str]:
    """Unit and metric, "" where the name does not say them."""
    last = name.rpartition(".")[2]
    return next(((unit, metric) for form, unit, metric in _KINDS if form.match(last)), ("", ""))


def _units(document: Document) -> dict[str, str]:
    catalogue = document.beside("../benchmarks.json")
    if catalogue is None or catalogue.json is None:
        return {}
    units = {}
    for name, item in catalogue.json.members().items():
        unit = item.get("unit") if isinstance(item.value, dict) else None
        if unit is not None:
            units[name] = unit.text()
    return units
