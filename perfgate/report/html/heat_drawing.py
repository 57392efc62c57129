"""The heat map's columns as a Bokeh plot; both maps lie in one plot, and one of them is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.drawing import category_axis, plot, source
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

    from perfgate.report.html.view import Columns

_ROW_PIXELS = 24
_AROUND = 60  # axes and margins


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """The cells of one map, row n between -n - 0.9 and -n, and the names of its rows."""

    name: str
    columns: Columns
    names: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatGeometry:
    """Two maps over the same time; `walk` has one row per cell of either. Lengths in `unit`."""

    maps: tuple[HeatMap, ...]
    walk: Columns
    width: float
    unit: str


def map_height(item: HeatMap) -> int:
    """Pixels that a map needs."""
    return len(item.names) * _ROW_PIXELS + _AROUND


def map_bottom(item: HeatMap) -> float:
    """Where the y axis of a map ends."""
    return -len(item.names) - 0.1


def draw_heat(geometry: HeatGeometry) -> LayoutDOM:
    """The plot `main`; a box drawn over it along x is the brush."""
    from bokeh.models import BoxSelectTool  # noqa: PLC0415 - 400 ms

    first = geometry.maps[0]
    target = plot(name=MAIN, height=map_height(first), x=(0.0, geometry.width), y=(map_bottom(first), 0.1))
    target.xaxis[0].axis_label = geometry.unit
    target.yaxis[0].visible = False
    for number, item in enumerate(geometry.maps):
        is_first = number == 0
        target.quad(
            left="left", right="right", bottom="bottom", top="top", fill_color="colour", line_color=None,
            nonselection_fill_alpha=1.0, source=source(item.columns), name=f"heat-cells-{item.name}",
            visible=is_first,
        )  # fmt: skip
        labels = {-place - 0.45: name for place, name in enumerate(item.names)}
        target.add_layout(category_axis(labels, name=f"heat-axis-{item.name}", visible=is_first), "left")
    brush = BoxSelectTool(dimensions="width", persistent=False)
    target.add_tools(brush)
    target.toolbar.active_drag = brush
    return target
