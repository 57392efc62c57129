"""The history's strips as Bokeh plots over the same commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.colour import CATEGORIES, DANGER, WARNING
from perfgate.report.html.drawing import add_cursor, category_axis, chosen_rows, plot, source
from perfgate.report.html.shown import shown
from perfgate.report.html.trend_columns import HALF, strip_points
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

    from perfgate.report.html.trend_columns import Strip, TrendColumns
    from perfgate.report.html.view import Columns

_STRIP = 170  # pixels
_MOST_NAMES = 24  # of the commits below a strip, so that they do not run into each other


def draw_trend(columns: TrendColumns) -> LayoutDOM:
    """One plot for each strip; the first is `main`, and all share its x range."""
    from bokeh.layouts import column  # noqa: PLC0415 - 400 ms

    width = max(len(columns.moments), 1)
    plots: list[figure] = []
    for strip in columns.strips:
        target = plot(
            name=MAIN if not plots else f"history-{strip.metric.name}",
            height=_STRIP,
            x=(-HALF, width - HALF),
            y=(strip.low, strip.high),
        )
        if plots:
            target.x_range = plots[0].x_range
        _fill(target, strip, columns)
        plots.append(target)
    if not plots:
        plots.append(plot(name=MAIN, height=_STRIP, x=(-HALF, HALF), y=(0.0, 1.0)))
    add_cursor(plots[0])
    return column(*plots, sizing_mode="stretch_width")


def _fill(target: figure, strip: Strip, columns: TrendColumns) -> None:
    from bokeh.models import PlainText  # noqa: PLC0415 - 400 ms

    points = strip_points(strip, columns.moments)
    shared = source(points)
    target.varea(x="x", y1="low", y2="high", fill_color=CATEGORIES[0], fill_alpha=0.25, source=shared)
    target.line(x="x", y="y", line_color=CATEGORIES[0], line_width=2, source=shared)
    # One value alone has no area and no line.
    target.segment(x0="x", x1="x", y0="low", y1="high", line_color=CATEGORIES[0], source=shared)
    for flag, colour, marker, size in (
        ("", CATEGORIES[0], "circle", 6),
        ("is_change", DANGER, "diamond", 18),
        ("is_accepted", WARNING, "square", 8),
    ):
        target.scatter(
            x="x", y="y", size=size, marker=marker, fill_color=colour, line_color="#ffffff",
            nonselection_fill_alpha=1.0, source=source(_flagged(points, flag)),
        )  # fmt: skip
    name = shown(strip.metric.name)
    # As `PlainText`, because Bokeh reads `$$` in a string as TeX.
    target.yaxis.axis_label = PlainText(text=name if strip.unit == name else f"{name}, {strip.unit}")
    target.xaxis[0].visible = False
    step = -(-len(columns.moments) // _MOST_NAMES) or 1
    names = {float(place): moment.label for place, moment in enumerate(columns.moments) if place % step == 0}
    target.add_layout(category_axis(names, name=f"history-{strip.metric.name}-commits"), "below")


def _flagged(points: Columns, flag: str) -> Columns:
    """The points with this flag set; all without one."""
    rows = range(len(points["row"]))
    return chosen_rows(points, [row for row in rows if not flag or points[flag][row]])
