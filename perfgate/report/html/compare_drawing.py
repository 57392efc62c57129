"""The comparison's columns as Bokeh plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.compare_columns import BAR
from perfgate.report.html.drawing import INK, add_cursor, category_axis, plot, source
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

    from perfgate.report.html.compare_columns import MetricLanes, Waterfall

_LANE, _AROUND = 22, 60  # pixels


def draw_compare(fall: Waterfall, lanes: MetricLanes) -> LayoutDOM:
    """The waterfall, which is `main`, over the metrics."""
    from bokeh.layouts import column  # noqa: PLC0415 - 400 ms

    plots = [_waterfall(fall)]
    if lanes.names:
        plots.append(_metrics(lanes))
    return column(*plots, sizing_mode="stretch_width")


def _waterfall(fall: Waterfall) -> figure:
    count = len(fall.names)
    target = plot(name=MAIN, height=_AROUND + _LANE * count, x=(fall.low, fall.high), y=(-count + 0.2, 0.1))
    target.xaxis.axis_label = fall.unit
    _name_lanes(target, [-place - BAR / 2 for place in range(count)], fall.names, "compare-names")
    target.quad(
        left="x0", right="x1", bottom="y0", top="y1", fill_color="colour", line_color="colour",
        hatch_pattern="hatch", hatch_color="#ffffff", hatch_alpha=0.6, hatch_scale=8,
        nonselection_fill_alpha=1.0, source=source(fall.bars),
    )  # fmt: skip
    add_cursor(target)
    return target


def _metrics(lanes: MetricLanes) -> figure:
    from bokeh.models.annotations import Span  # noqa: PLC0415 - 400 ms

    count = len(lanes.names)
    target = plot(
        name="compare-metrics",
        height=_AROUND + _LANE * count,
        x=(lanes.low, lanes.high),
        y=(-count + 0.4, 0.6),
    )
    target.xaxis.axis_label = "change, %, to the right is worse"
    _name_lanes(target, [float(-place) for place in range(count)], lanes.names, "compare-metric-names")
    target.add_layout(Span(location=0, dimension="height", line_color=INK))
    points = source(lanes.points)
    target.segment(x0="low", x1="high", y0="y", y1="y", line_color="colour", line_width=3, source=points)
    target.scatter(
        x="x", y="y", size=9, fill_color="colour", line_color="#ffffff", nonselection_fill_alpha=1.0,
        source=points,
    )  # fmt: skip
    return target


def _name_lanes(target: figure, places: Sequence[float], names: Sequence[str], name: str) -> None:
    target.yaxis[0].visible = False
    labels = dict(zip(places, names, strict=True))
    target.add_layout(category_axis(labels, name=name), "left")
