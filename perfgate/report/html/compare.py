"""The before/after view: all metrics, all operators, and where the difference went, to the picosecond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import percent, readable
from perfgate.report.diagnosis_rows import change, delta_rows
from perfgate.report.html.compare_columns import BETTER, WHOLE, WORSE, metric_lanes, waterfall
from perfgate.report.html.compare_drawing import draw_compare
from perfgate.report.html.compare_rows import metric_deltas, time_rows
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps
from perfgate.report.html.view import Swatch, Table, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import Attribution, MetricDelta
    from perfgate.report.html.compare_rows import TimeRow, TimeRows
    from perfgate.report.html.material import Material

_HINT = (
    "From before to after: each bar begins where the one above ends. Below, the change of every metric with "
    "its 95 % interval. All operators stand in the table, which can be sorted and searched."
)


def compare_view(material: Material) -> View:
    """The view of both sides; of a single profile all operators with their time now."""
    rows = time_rows(material)
    deltas = metric_deltas(material)
    found = None if material.diagnosis is None else material.diagnosis.attribution
    fall, lanes = waterfall(rows), metric_lanes(deltas)
    tables = [metrics_table(deltas), operators_table(rows)]
    if found is not None:
        tables.append(attribution_table(found))
    return View(
        name="compare",
        title="Compare",
        hint=_HINT,
        tables=tuple(tables),
        draw=lambda: draw_compare(fall, lanes),
        walk=fall.walk,
        legend=(
            Swatch(WORSE, "slower"),
            Swatch(BETTER, "faster", is_hatched=True),
            Swatch(WHOLE, "the whole latency"),
        ),
        notes=_notes(material, rows),
    )


def metrics_table(deltas: Sequence[MetricDelta]) -> Table:
    """Every metric that both sides have; the sign of a change is that of worse."""
    return Table(
        caption="Metrics",
        header=("metric", "before", "after", "change, + is worse"),
        rows=tuple(
            (
                shown(item.metric.name),
                readable(item.before, item.metric.unit),
                readable(item.after, item.metric.unit),
                change(item),
            )
            for item in deltas
        ),
        keys=tuple(
            (item.metric.name, item.before, item.after, "" if item.relative is None else item.relative)
            for item in deltas
        ),
    )


def operators_table(rows: TimeRows) -> Table:
    """Every operator, then what is no operator, then the sum; columns of picoseconds sum exactly."""
    total = [("total", "", rows.before, rows.after, -1)]
    lines = [(row.label, row.kind, row.before, row.after, row.operator) for row in rows.rows] + total
    return Table(
        caption=f"Time by operator, whole execution{', as the gate measured it' if rows.is_gate else ''}",
        header=("operator", "type", "before", "after", "difference", "difference, ps", "change", "share"),
        rows=tuple(
            (
                label,
                shown(kind),
                readable_ps(before),
                readable_ps(after),
                readable_ps(after - before),
                str(after - before),
                _change(before, after),
                _share(after - before, rows.delta),
            )
            for label, kind, before, after, _ in lines
        ),
        keys=tuple(
            (
                place,
                kind,
                before,
                after,
                after - before,
                after - before,
                _ratio(before, after),
                after - before,
            )
            for place, (_, kind, before, after, _) in enumerate(lines)
        ),
        operators=tuple(operator for *_, operator in lines),
    )


def attribution_table(found: Attribution) -> Table:
    """Where the diagnosis sees the difference; printed amounts and shares add up."""
    rows = delta_rows(found)
    return Table(
        caption=f"Where the difference went, by the diagnosis ({found.unit})",
        header=("part", "before", "after", "difference", "share"),
        rows=tuple((shown(row.label), row.before, row.after, row.delta, row.share) for row in rows),
    )


def _change(before: int, after: int) -> str:
    if before > 0:
        return percent(after / before - 1)
    return "new" if after > before else ""


def _ratio(before: int, after: int) -> float:
    return after / before - 1 if before > 0 else float(after)


def _share(delta: int, total: int) -> str:
    return f"{delta / total:.1%}".replace("%", " %") if total else ""


def _notes(material: Material, rows: TimeRows) -> tuple[str, ...]:
    if material.before is None:
        return ("There is no before: every operator counts as new.",)
    gone = [operator for operator in material.operators if operator.after is None]
    new = [operator for operator in material.operators if operator.before is None]
    notes = []
    if gone or new:
        notes.append(f"{len(new)} operators are new, {len(gone)} are only before.")
    residual: TimeRow | None = rows.rows[-1] if rows.is_gate else None
    if residual is not None:
        notes.append(f"Unexplained by the trace: {readable_ps(residual.delta)} of {readable_ps(rows.delta)}.")
    return tuple(notes)
