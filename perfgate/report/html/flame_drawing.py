"""The flame graph's columns as a Bokeh plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perfgate.report.html.drawing import (
    add_cursor,
    add_hatching,
    add_labels,
    add_share_axis,
    outline,
    plot,
    set_detail,
    source,
)
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

    from perfgate.report.html.pixels import Detail
    from perfgate.report.html.view import Columns

BARS = "flame-bars"  # the renderers, one per step of detail, have this name and the step's number
_ROW_PIXELS = 24
_AROUND = 60  # axes and margins


class Box(NamedTuple):
    """Where a frame is drawn."""

    x0: float
    x1: float
    y0: float
    y1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FlameGeometry:
    """`boxes`, `walk` and `rows` are by frame, `details` and `hatched` refer to frames; lengths in `unit`.

    `width` is that of the drawing, `total` that of the whole execution now. `strip` is the height at which
    the strip of vanished frames is named, None without one.
    """

    boxes: list[Box]
    walk: Columns
    rows: Columns
    hatched: frozenset[int]
    details: tuple[Detail, ...]
    width: float
    total: float
    bottom: float
    strip: float | None
    unit: str


def draw_flame(geometry: FlameGeometry) -> LayoutDOM:
    """The plot `main` with one renderer per step of detail."""
    from bokeh.models.annotations import Label  # noqa: PLC0415 - 400 ms

    height = int(-geometry.bottom * _ROW_PIXELS) + _AROUND
    target = plot(name=MAIN, height=height, x=(0.0, geometry.width), y=(geometry.bottom - 0.1, 0.1))
    target.yaxis.visible = False
    target.xaxis[0].name = "time-axis"
    target.xaxis[0].axis_label = geometry.unit
    add_share_axis(target, 100 / geometry.total, geometry.width)
    hue = "change" if "change" in geometry.rows else "after"
    for number, detail in enumerate(geometry.details):
        renderer = target.quad(
            left="left", right="right", bottom="bottom", top="top",
            fill_color=hue, line_color="outline", line_width=0.5,
            nonselection_fill_alpha=1.0, source=source(_bars(geometry, detail)), name=f"{BARS}-{number}",
        )  # fmt: skip
        set_detail(renderer, detail)
        add_hatching(target, _bars(geometry, detail), geometry.hatched, detail)
    add_labels(target)
    add_cursor(target)
    if geometry.strip is not None:
        target.add_layout(
            Label(x=0, y=geometry.strip, text="only before", text_baseline="middle", text_color="#777777")
        )
    return target


def _bars(geometry: FlameGeometry, detail: Detail) -> Columns:
    rows = [bar.row for bar in detail.bars]
    columns: Columns = {
        "left": [bar.left for bar in detail.bars],
        "right": [bar.right for bar in detail.bars],
        "bottom": [geometry.boxes[row].y0 for row in rows],
        "top": [geometry.boxes[row].y1 for row in rows],
        "row": rows,
        "outline": [outline(bar, detail) for bar in detail.bars],
    }
    return columns | {name: [str(values[row]) for row in rows] for name, values in geometry.rows.items()}
