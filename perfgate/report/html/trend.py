"""The history view: every metric of the benchmark over the commits that accepted a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.colour import CATEGORIES, DANGER, WARNING
from perfgate.report.html.shown import shown
from perfgate.report.html.trend_columns import moments_of, trend_columns, value_text
from perfgate.report.html.trend_drawing import draw_trend
from perfgate.report.html.view import Swatch, Table, View

if TYPE_CHECKING:
    from perfgate.report.html.material import Material
    from perfgate.report.html.trend_columns import Moment, TrendColumns

_HINT = (
    "Metrics of the accepted baselines by commit, then of both measured sides; the band is the 95 % interval "
    "over runs. Click a point to copy its commit; left and right walk in time."
)


def trend_view(material: Material) -> View:
    """The view of a benchmark's records; without any it says so."""
    columns = trend_columns(moments_of(material))
    return View(
        name="history",
        title="History",
        hint=_HINT,
        tables=(trend_table(columns), changes_table(columns)),
        draw=lambda: draw_trend(columns),
        walk=columns.walk,
        legend=(
            Swatch(CATEGORIES[0], "value, with its interval"),
            Swatch(DANGER, "diamond: the level changed"),
            Swatch(WARNING, "square: a regression was accepted"),
        ),
        notes=_notes(material, columns),
    )


def trend_table(columns: TrendColumns) -> Table:
    """One row for each moment with every metric that some strip draws."""
    strips = columns.strips
    return Table(
        caption="Metrics by commit",
        header=("commit", "date", *(strip.metric.name for strip in strips), "accepted regression"),
        rows=tuple(
            (moment.label, moment.date, *_texts(columns, place), moment.accepted)
            for place, moment in enumerate(columns.moments)
        ),
        keys=tuple(
            (place, moment.date, *_numbers(columns, place), moment.accepted)
            for place, moment in enumerate(columns.moments)
        ),
    )


def changes_table(columns: TrendColumns) -> Table:
    """Every change of level that a strip marks."""
    rows = [
        (columns.moments[change.place], strip.metric.name, change.text)
        for strip in columns.strips
        for change in strip.changes
    ]
    return Table(
        caption="Changes of level",
        header=("metric", "commit", "date", "what changed"),
        rows=tuple((name, moment.label, moment.date, text) for moment, name, text in rows),
    )


def _texts(columns: TrendColumns, place: int) -> list[str]:
    values = [(strip.values[place], strip.metric.unit) for strip in columns.strips]
    return ["" if value is None else value_text(value, unit) for value, unit in values]


def _numbers(columns: TrendColumns, place: int) -> list[float | str]:
    values = [strip.values[place] for strip in columns.strips]
    return ["" if value is None else value.value for value in values]


def _notes(material: Material, columns: TrendColumns) -> tuple[str, ...]:
    if not columns.moments:
        return ("No record is known: there is nothing to show over time.",)
    notes = []
    if not material.history:
        notes.append("No accepted baseline is known: only what was measured is shown.")
    accepted = [moment for moment in columns.moments if moment.accepted]
    notes += [_accepted_text(moment) for moment in accepted]
    return tuple(notes)


def _accepted_text(moment: Moment) -> str:
    by = shown(moment.record.provenance.author.partition(" <")[0])  # the name without its address
    return f"{moment.label} accepts a regression{f' ({by})' if by else ''}: {moment.accepted}"
