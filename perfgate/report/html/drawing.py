"""Bokeh models out of plain columns: the one place that knows how a plot of the page is set up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from perfgate.report.html.view import CURSOR, LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.models import Axis, ColumnDataSource, LinearAxis
    from bokeh.models.renderers import GlyphRenderer
    from bokeh.plotting import figure

    from perfgate.report.html.pixels import Bar, Detail
    from perfgate.report.html.view import Columns

INK = "#777777"  # axes and ticks; readable on white and on the dark ground alike
FONT = "12px"
_NOTHING = "#00000000"
_WIDE = 4  # narrow bars


def plot(*, name: str, height: int, x: tuple[float, float], y: tuple[float, float]) -> figure:
    """An empty plot of the page's style, as wide as the page; zoomed along x only, `y` falls if reversed."""
    from bokeh.models import HoverTool, PanTool, Range1d, TapTool, WheelZoomTool  # noqa: PLC0415 - 400 ms
    from bokeh.plotting import figure  # noqa: PLC0415 - the same

    wheel = WheelZoomTool(dimensions="width")
    result = figure(
        name=name,
        height=height,
        sizing_mode="stretch_width",
        x_range=Range1d(start=x[0], end=x[1], bounds=x),
        y_range=Range1d(start=y[0], end=y[1]),
        tools=[PanTool(dimensions="width"), wheel, TapTool(), HoverTool(tooltips=None)],
        active_scroll=wheel,
        toolbar_location=None,
        output_backend="canvas",
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
    )
    result.grid.visible = False
    for axis in result.axis:
        _style(axis)
    return result


def source(columns: Columns, name: str | None = None) -> ColumnDataSource:
    """A source whose numbers travel as packed arrays; all columns must have one length."""
    import numpy as np  # noqa: PLC0415 - beside Bokeh, which brings it
    from bokeh.models import ColumnDataSource  # noqa: PLC0415 - 400 ms

    packed: dict[str, Any] = {}
    for key, values in columns.items():
        first = values[0] if len(values) else ""
        if isinstance(first, str):
            packed[key] = list(values)
        elif all(isinstance(value, int) and abs(value) < 2**31 for value in values):
            packed[key] = np.array(values, dtype=np.int32)
        else:
            packed[key] = np.array(values, dtype=np.float32)  # exact to a hundredth of a pixel at 10**5 times
    return ColumnDataSource(packed, name=name)


def chosen_rows(columns: Columns, rows: Sequence[int]) -> Columns:
    """The same columns with these rows alone."""
    return {name: _chosen(values, rows) for name, values in columns.items()}


def _chosen(values: Sequence[float] | Sequence[str], rows: Sequence[int]) -> list[float] | list[str]:
    # One list of either kind: mypy joins both in a comprehension, so the first tells them apart.
    if values and isinstance(values[0], str):
        return [str(values[row]) for row in rows]
    return [float(values[row]) for row in rows]


def add_cursor(target: figure) -> None:
    """The outline of the selected thing; report.js moves it."""
    nothing: Columns = {"x0": [], "x1": [], "y0": [], "y1": [], "colour": []}
    target.quad(
        left="x0",
        right="x1",
        bottom="y0",
        top="y1",
        source=source(nothing, CURSOR),
        fill_color=None,
        line_color="colour",
        line_width=2.5,
    )


def add_labels(target: figure) -> None:
    """Names inside the boxes of the walk; report.js fills in those that have room."""
    from bokeh.models.glyphs import Text  # noqa: PLC0415 - 400 ms

    nothing: Columns = {"x": [], "y": [], "text": []}
    glyph = Text(
        x="x",
        y="y",
        text="text",
        text_font_size="11px",
        text_baseline="middle",
        text_color="#000000",
        background_fill_color="#ffffff",
        background_fill_alpha=0.75,
        x_offset=3,
    )
    target.add_glyph(source(nothing, LABELS), glyph)


def add_share_axis(target: figure, scale: float, width: float) -> None:
    """A second x axis in percent, hidden until it is chosen; `scale` is percent per unit of x."""
    from bokeh.models import LinearAxis, Range1d  # noqa: PLC0415 - 400 ms

    target.extra_x_ranges = {"share": Range1d(start=0, end=width * scale, tags=[{"scale": scale}])}
    axis = LinearAxis(x_range_name="share", axis_label="%", name="share-axis", visible=False)
    _style(axis)
    target.add_layout(axis, "below")


def outline(bar: Bar, detail: Detail) -> str:
    """White between neighbours that are wide enough; around narrow bars it would hide them."""
    return "#ffffff" if bar.right - bar.left > _WIDE * detail.narrow else _NOTHING


def set_detail(renderer: GlyphRenderer[Any], detail: Detail) -> None:
    """Show it in the range of zoom that the bars are for."""
    set_range(renderer, detail.least, detail.most)


def set_range(renderer: GlyphRenderer[Any], least: float, most: float) -> None:
    """Show it only while a pixel is at least `least` and less than `most` units wide."""
    renderer.tags = [*renderer.tags, {"detail": [least, most]}]
    renderer.visible = math.isinf(most)  # the far view, which is where everybody begins


def add_hatching(target: figure, bars: Columns, hatched: frozenset[int], detail: Detail) -> None:
    """A pattern over some of the bars.

    As a renderer of its own, whose pattern is one for all: with one per bar Bokeh takes 8 ms for each.
    """
    chosen = [place for place, row in enumerate(bars["row"]) if row in hatched]
    if not chosen:
        return
    sides = ("left", "right", "bottom", "top")
    columns: Columns = {name: [float(bars[name][place]) for place in chosen] for name in sides}
    renderer = target.quad(
        left="left",
        right="right",
        bottom="bottom",
        top="top",
        fill_color=None,
        line_color=None,
        hatch_pattern="right_diagonal_line",
        hatch_color="#ffffff",
        hatch_alpha=0.7,
        hatch_scale=8,
        source=source(columns),
    )
    set_detail(renderer, detail)


def category_axis(labels: dict[float, str], *, name: str, visible: bool = True) -> LinearAxis:
    """A y axis with names at places; as `PlainText`, because Bokeh reads `$$` in a string as TeX."""
    from bokeh.models import FixedTicker, LinearAxis, PlainText  # noqa: PLC0415 - 400 ms

    axis = LinearAxis(
        name=name,
        visible=visible,
        major_label_overrides={place: PlainText(text=text) for place, text in labels.items()},
    )
    axis.update(ticker=FixedTicker(ticks=list(labels)))
    _style(axis)
    return axis


def _style(axis: Axis) -> None:
    axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = INK
    axis.major_label_text_color = axis.axis_label_text_color = INK
    axis.major_label_text_font_size = axis.axis_label_text_font_size = FONT
