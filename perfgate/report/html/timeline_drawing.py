"""The timeline's columns as a Bokeh plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.drawing import (
    add_cursor,
    add_hatching,
    add_labels,
    category_axis,
    outline,
    plot,
    set_detail,
    set_range,
    source,
)
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

    from perfgate.report.html.pixels import Detail
    from perfgate.report.html.view import Columns

BARS = "timeline-bars"  # the renderers, one per step of detail, have this name and the step's number
_LANE_PIXELS = 30
_AROUND = 60  # axes and margins
_MANY_EDGES = 400  # more are drawn only where the view is near; those of the critical path always
_NEAR = 1 / 16_000  # of the width, per pixel
_BAR = 0.8
_CRITICAL = "#e00000"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineGeometry:
    """`walk`, `rows` and `lane_of` are by span, `details` refer to spans; lengths in `unit`.

    `path` are the spans of the critical path, none where it is all of them.
    """

    walk: Columns
    rows: Columns
    hatched: frozenset[int]
    lane_of: list[int]
    lane_names: list[str]
    details: tuple[Detail, ...]
    waits: Columns
    edges: Columns
    critical_edges: list[int]
    width: float
    unit: str
    path: frozenset[int]


def draw_timeline(geometry: TimelineGeometry) -> LayoutDOM:
    """The plot `main` with lanes from top to bottom."""
    count = len(geometry.lane_names)
    height = count * _LANE_PIXELS + _AROUND
    target = plot(name=MAIN, height=height, x=(0.0, geometry.width), y=(-count - 0.1, 0.2))
    target.xaxis[0].axis_label = geometry.unit
    target.yaxis[0].visible = False
    labels = {-number - _BAR / 2: text for number, text in enumerate(geometry.lane_names)}
    target.add_layout(category_axis(labels, name="timeline-lanes"), "left")
    if geometry.waits["left"]:
        target.quad(
            left="left", right="right", bottom="bottom", top="top", fill_color=None, line_color="#777777",
            hatch_pattern="dot", hatch_color="#777777", nonselection_line_alpha=1.0,
            source=source(geometry.waits), name="timeline-waits",
        )  # fmt: skip
    for number, detail in enumerate(geometry.details):
        renderer = target.quad(
            left="left", right="right", bottom="bottom", top="top",
            fill_color="engine", line_color="outline", line_width=1,
            nonselection_fill_alpha=1.0, source=source(_bars(geometry, detail)), name=f"{BARS}-{number}",
        )  # fmt: skip
        set_detail(renderer, detail)
        add_hatching(target, _bars(geometry, detail), geometry.hatched, detail)
    _add_edges(target, geometry)
    add_labels(target)
    add_cursor(target)
    return target


def _add_edges(target: figure, geometry: TimelineGeometry) -> None:
    """Waits of one stream for another; the many ones off the critical path only in a near view."""
    count = len(geometry.edges["x0"])
    if not count:
        return
    critical = set(geometry.critical_edges)
    others = [row for row in range(count) if row not in critical]
    for name, rows, colour in (
        ("timeline-edges", others, "#777777"),
        ("timeline-path", sorted(critical), _CRITICAL),
    ):
        if not rows:
            continue
        columns: Columns = {
            key: [float(values[row]) for row in rows] for key, values in geometry.edges.items()
        }
        renderer = target.segment(
            x0="x0", y0="y0", x1="x1", y1="y1", line_color=colour, line_width=1, line_alpha=0.8,
            source=source(columns), name=name,
        )  # fmt: skip
        if rows is others and len(rows) > _MANY_EDGES:
            set_range(renderer, 0.0, geometry.width * _NEAR)


def _bars(geometry: TimelineGeometry, detail: Detail) -> Columns:
    rows = [bar.row for bar in detail.bars]
    columns: Columns = {
        "left": [bar.left for bar in detail.bars],
        "right": [bar.right for bar in detail.bars],
        "bottom": [-geometry.lane_of[row] - _BAR for row in rows],
        "top": [-float(geometry.lane_of[row]) for row in rows],
        "row": rows,
        "outline": [_CRITICAL if bar.row in geometry.path else outline(bar, detail) for bar in detail.bars],
    }
    return columns | {name: [str(values[row]) for row in rows] for name, values in geometry.rows.items()}
