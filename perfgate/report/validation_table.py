"""The table of a validation, for terminals and for Markdown; one unit and three digits to a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.core.verdict import Verdict
from perfgate.report.code_span import code_span
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.core.validation import (
        OutputCheck,
        OutputDifference,
        QuantisedWeights,
        Validation,
        ValidationRow,
    )

HEADERS = ("metric", "before", "after", "change", "verdict", "predicted")
_ALIGNMENT = ("left", "right", "right", "right", "left", "left")
_NONE = "-"
_STEPS = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "cycles": ((1e9, "G cycles"), (1e6, "M cycles"), (1e3, "k cycles"), (1.0, "cycles")),
    "J": ((1.0, "J"), (1e-3, "mJ"), (1e-6, "uJ")),
}
_SHOWN = 5  # outputs and tensors that are listed
_SMALL = 0.0005  # a deviation that prints as 0.0 %
_WHOLE, _ONE_DECIMAL = 100, 10  # from here on three significant digits have none, or one


def validation_lines(found: Validation) -> Iterator[str]:
    """A table for each benchmark, with its name where there are several; then outputs and weights."""
    for index, table in enumerate(found.tables):
        if len(found.tables) > 1:
            yield from ([""] if index else [])
            yield inert(table.key)
        rows = [cells(row) for row in table.rows]
        if found.outputs is not None and index == len(found.tables) - 1:
            rows += output_cells(found.outputs)
        yield tabulate(rows, HEADERS, tablefmt="simple", disable_numparse=True, colalign=_ALIGNMENT)
        doubts = [f"{row.label}: {row.reason}" for row in table.rows if row.verdict == Verdict.INCONCLUSIVE]
        yield from (f"note: {inert(note)}" for note in (*table.notes, *doubts))
    if found.outputs is not None and not all(item.is_equal for item in found.outputs.outputs):
        yield from _output_lines(found.outputs)
    if found.quantised is not None:
        yield from quantised_lines(found.quantised)
    yield from (f"note: {inert(note)}" for note in found.notes)


def markdown_table(found: Validation, key: str) -> str:
    """The table of one benchmark as Markdown, "" when the validation does not have it."""
    rows = [cells(row) for table in found.tables if table.key == key for row in table.rows]
    if not rows:
        return ""
    if found.outputs is not None:
        rows += output_cells(found.outputs)
    safe = [[code_span(row[0]), *row[1:]] for row in rows]
    return tabulate(safe, HEADERS, tablefmt="github", disable_numparse=True, colalign=_ALIGNMENT)


def cells(row: ValidationRow) -> list[str]:
    """One row: label, values in one unit, change, verdict, prediction with what it missed."""
    before, after = pair_text(row.before, row.after, row.unit)
    return [
        inert(row.label),
        before,
        after,
        _NONE if row.change is None else change_text(row.change),
        row.verdict or _NONE,
        _predicted(row),
    ]


def change_text(change: float) -> str:
    """`-73.6 %`; one decimal always, so that a column lines up."""
    return f"{change * 100:+.1f} %"


def pair_text(before: float | None, after: float | None, unit: str) -> tuple[str, str]:
    """Both values in the unit that fits the larger one, each with three significant digits; a zero is 0."""
    present = [abs(value) for value in (before, after) if value is not None]
    factor, name = _scale(max(present, default=0.0), unit)
    return _text(before, factor, name), _text(after, factor, name)


def _scale(size: float, unit: str) -> tuple[float, str]:
    steps = _STEPS.get(unit)
    if steps is None:
        return 1.0, "" if unit == "count" else unit
    return next((step for step in steps if size >= step[0]), steps[-1])


def _text(value: float | None, factor: float, name: str) -> str:
    if value is None:
        return _NONE
    return f"{_digits(value / factor)} {name}".strip()


def _digits(value: float) -> str:
    size = abs(value)
    if value == 0.0 or size >= _WHOLE:
        return f"{value:.0f}"
    return f"{value:.1f}" if size >= _ONE_DECIMAL else f"{value:.2f}"


def _predicted(row: ValidationRow) -> str:
    if row.predicted is None:
        return _NONE
    text = pair_text(row.predicted, row.before, row.unit)[0]
    if row.deviation is None or abs(row.deviation) < _SMALL:
        return text
    word = "above" if row.deviation > 0 else "below"
    return f"{text} ({abs(row.deviation) * 100:.1f} % {word})"


def output_cells(check: OutputCheck) -> list[list[str]]:
    """The row of the worst output."""
    worst = worst_output(check)
    value = _NONE if worst is None or worst.largest is None else f"{worst.largest:.3g}"
    if check.is_broken:
        verdict = "BROKEN"
    else:
        verdict = "equal" if all(item.is_equal for item in check.outputs) else "within tolerance"
    return [["output difference, max abs", _NONE, value, _NONE, verdict, "0"]]


def worst_output(check: OutputCheck) -> OutputDifference | None:
    """The output that is furthest beyond its tolerance; one that cannot be compared is worse than any."""
    return max(check.outputs, key=_excess, default=None)


def _excess(item: OutputDifference) -> tuple[bool, float]:
    if item.largest is None:
        return True, 0.0
    return not item.is_within, item.largest / item.tolerance if item.tolerance else item.largest


def _output_lines(check: OutputCheck) -> Iterator[str]:
    ordered = sorted(check.outputs, key=_excess, reverse=True)
    yield f"outputs, held against what {check.precision} explains:"
    for item in ordered[:_SHOWN]:
        mark = "ok    " if item.is_within else "BROKEN"
        yield f"  {mark} {inert(item.name)}: {inert(item.reason) or _measured(item)}"
    if len(ordered) > _SHOWN:
        yield f"  and {len(ordered) - _SHOWN} more"


def _measured(item: OutputDifference) -> str:
    cosine = "" if item.cosine is None else f", cosine {item.cosine:.6f} (at least {item.least_cosine:.6f})"
    return f"off by up to {item.largest:.3g} (allowed {item.tolerance:.3g}){cosine}"


def quantised_lines(found: QuantisedWeights) -> Iterator[str]:
    """Size, the error curve, and the tensors that lose most of their scale."""
    share = found.bytes_after / found.bytes_before - 1 if found.bytes_before else 0.0
    before, after = pair_text(found.bytes_before, found.bytes_after, "B")
    yield f"weights of {inert(found.model)} in symmetric int8: {before} -> {after}, {change_text(share)}"
    curve = ", ".join(f"{part * 100:g} % below {error:.3f}" for part, error in found.curve)
    yield f"  error in scales (bound 0.5): {curve}"
    for item in found.tensors[:_SHOWN]:
        text = f"scale {item.scale:.3g}, error {item.largest_error:.3g} of at most {item.scale / 2:.3g}"
        yield f"  {inert(item.name)}: {item.elements} elements, {text}"
    if len(found.tensors) > _SHOWN:
        yield f"  and {len(found.tensors) - _SHOWN} more"
