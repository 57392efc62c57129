"""The heat map's columns as a Bokeh plot; both maps lie in one plot, and one of them is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.drawing import category_axis, plot, source
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

    from perfgate.report.html.intensity import IntensityPlot
    from perfgate.report.html.view import Columns

_ROW_PIXELS = 24
_LEAST_SHARE_LOG = -5  # a thousandth of a percent
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


def draw_heat(geometry: HeatGeometry, below: IntensityPlot) -> LayoutDOM:
    """The heat map above, the operators by intensity below it."""
    from bokeh.layouts import column  # noqa: PLC0415 - 400 ms

    return column(_map_plot(geometry), _dot_plot(below), sizing_mode="stretch_width")


def _dot_plot(geometry: IntensityPlot) -> figure:
    """Dots over decimal logarithms; the ticks say the numbers themselves."""
    from bokeh.models import FixedTicker  # noqa: PLC0415 - 400 ms
    from bokeh.models.annotations import Span  # noqa: PLC0415 - the same

    target = plot(
        name="intensity", height=260, x=(geometry.left, geometry.right), y=(_LEAST_SHARE_LOG - 0.2, 0.2)
    )
    target.xaxis[0].axis_label = "FLOP per byte"
    target.yaxis[0].axis_label = "share of the latency"
    decades = range(math.ceil(geometry.left), math.floor(geometry.right) + 1)
    target.xaxis[0].update(ticker=FixedTicker(ticks=list(decades)))
    target.xaxis[0].major_label_overrides = {place: f"{10.0**place:g}" for place in decades}
    shares = range(_LEAST_SHARE_LOG, 1)
    target.yaxis[0].update(ticker=FixedTicker(ticks=list(shares)))
    target.yaxis[0].major_label_overrides = {place: f"{10.0 ** (place + 2):g} %" for place in shares}
    lines = [(place, "dotted") for place in geometry.guides]
    lines += [(geometry.ridge, "solid")] if geometry.ridge is not None else []
    for place, dash in lines:
        target.add_layout(Span(location=place, dimension="height", line_color="#777777", line_dash=dash))
    target.scatter(
        "x", "y", size=9, fill_color="colour", line_color="#ffffff", nonselection_fill_alpha=1.0,
        nonselection_line_alpha=1.0, source=source(geometry.dots), name="intensity-dots",
    )  # fmt: skip
    return target


def _map_plot(geometry: HeatGeometry) -> figure:
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
