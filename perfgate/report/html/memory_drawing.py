"""The memory view's columns as Bokeh plots, one below the other over the same time where they show time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.colour import DANGER, HATCHED, SAME
from perfgate.report.html.drawing import FONT, INK, add_cursor, category_axis, chosen_rows, plot, source
from perfgate.report.html.memory_columns import AFTER, AT_PEAK, BEFORE, FREE_CLASSES, STRIP
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

    from perfgate.report.html.memory_columns import MemoryColumns

PEAK_LIVES = ("memory-lives", "memory-lives-at-peak")  # renderers of all tensors, of those live at the peak
LATE = "memory-late"
SIZE_AXIS = "memory-size"  # the range of the curve's y axis
_COLOURS = {"before": BEFORE, "after": AFTER}
_WIDTHS = {"before": 1, "after": 2}  # pixels
_DASHES: dict[str, list[int]] = {"before": [4, 2], "after": []}
_CURVE, _LIVES, _LANE, _AROUND, _FREE, _ENDS = 260, 260, 28, 50, 160, 180  # pixels


def draw_memory(columns: MemoryColumns) -> LayoutDOM:
    """Curve, lives, pools, free blocks and, where a log over iterations exists, their ends."""
    from bokeh.layouts import column  # noqa: PLC0415 - 400 ms

    curve = _curve(columns)
    plots = [curve]
    if columns.lives["row"]:
        plots.append(_lives(columns, curve))
    else:
        add_cursor(curve)
    if columns.lanes:
        plots.append(_pools(columns))
    if columns.free["row"]:
        plots.append(_free(columns))
    if columns.ends:
        plots.append(_ends(columns))
    return column(*plots, sizing_mode="stretch_width")


def _curve(columns: MemoryColumns) -> figure:
    from bokeh.models.annotations import Label, Span  # noqa: PLC0415 - 400 ms

    end = columns.far if columns.limits_are_near else columns.near
    target = plot(name=MAIN, height=_CURVE, x=(0.0, columns.width), y=(0.0, end))
    target.y_range.name = SIZE_AXIS
    target.yaxis.axis_label, target.xaxis.axis_label = columns.size, columns.time
    for side, points in columns.curves.items():
        target.step(
            x="x", y="y", mode="after", line_color=_COLOURS[side], line_width=_WIDTHS[side],
            line_dash=_DASHES[side], source=source(points),
        )  # fmt: skip
    for limit in columns.limits:
        span = Span(location=limit.place, dimension="width", line_color=limit.colour, line_dash=[6, 3])
        target.add_layout(span)
        target.add_layout(
            Label(
                x=0, y=limit.place, x_offset=8, text=limit.text, text_color=limit.colour, text_font_size=FONT
            )
        )
    target.scatter(
        x="x", y="y", size=12, marker="diamond", fill_color=DANGER, line_color="#ffffff",
        nonselection_fill_alpha=1.0, source=source(columns.peak),
    )  # fmt: skip
    return target


def _lives(columns: MemoryColumns, curve: figure) -> figure:
    """Time to the right, address upwards: what lies side by side in time never overlaps in address."""
    target = plot(name="memory-map", height=_LIVES, x=(0.0, columns.width), y=(0.0, columns.top * 1.02))
    target.x_range = curve.x_range
    target.yaxis.axis_label, target.xaxis.axis_label = f"address, {columns.size}", columns.time
    rows = range(len(columns.lives["row"]))
    at_peak = [row for row in rows if columns.lives["colour"][row] == AT_PEAK]
    others = [row for row in rows if columns.lives["colour"][row] != AT_PEAK]
    # The peak's lie above all others, however narrow they are.
    for name, chosen in zip(PEAK_LIVES, ([*others, *at_peak], at_peak), strict=True):
        target.quad(
            left="x0", right="x1", bottom="y0", top="y1", fill_color="colour", line_color=INK,
            line_width=0.5, nonselection_fill_alpha=1.0, name=name, visible=name == PEAK_LIVES[0],
            source=source(chosen_rows(columns.lives, chosen)),
        )  # fmt: skip
    target.quad(
        left="x0", right="x1", bottom="y0", top="y1", fill_color=None, line_color=None,
        hatch_pattern=HATCHED, hatch_color="#000000", hatch_scale=8, name=LATE,
        source=source(columns.late),
    )  # fmt: skip
    add_cursor(target)
    return target


def _pools(columns: MemoryColumns) -> figure:
    lanes = len(columns.lanes)
    target = plot(name="memory-pools", height=_AROUND + _LANE * lanes, x=(0.0, 100.0), y=(-lanes + 0.2, 0.1))
    target.xaxis.axis_label = "share of the pool's addresses, %"
    target.yaxis[0].visible = False
    labels = {-lane - STRIP / 2: text for lane, text in enumerate(columns.lanes)}
    target.add_layout(category_axis(labels, name="memory-pool-names"), "left")
    target.quad(
        left=[0] * lanes, right=[100] * lanes, bottom=[-lane - STRIP for lane in range(lanes)],
        top=[-lane for lane in range(lanes)], fill_color=None, line_color=INK,
    )  # fmt: skip
    target.quad(
        left="x0", right="x1", bottom="y0", top="y1", fill_color=SAME, line_color=INK,
        line_width=0.5, nonselection_fill_alpha=1.0, source=source(columns.strips),
    )  # fmt: skip
    return target


def _free(columns: MemoryColumns) -> figure:
    most = max(map(float, columns.free["count"]))
    target = plot(
        name="memory-free", height=_FREE, x=(-0.2, float(len(FREE_CLASSES))), y=(0.0, max(most * 1.1, 1.0))
    )
    target.yaxis.axis_label = "free blocks"
    target.xaxis[0].visible = False
    labels = {place + 0.4: text for place, text in enumerate(FREE_CLASSES)}
    target.add_layout(category_axis(labels, name="memory-free-names"), "below")
    target.quad(
        left="x0", right="x1", bottom=0, top="count", fill_color="colour", line_color=INK,
        hatch_pattern="hatch", hatch_color="#ffffff", hatch_scale=8, nonselection_fill_alpha=1.0,
        source=source(columns.free),
    )  # fmt: skip
    return target


def _ends(columns: MemoryColumns) -> figure:
    most = max(float(value) for points in columns.ends.values() for value in points["y"])
    count = max(len(points["x"]) for points in columns.ends.values())
    target = plot(name="memory-ends", height=_ENDS, x=(-0.5, count - 0.5), y=(0.0, max(most * 1.1, 1e-9)))
    target.yaxis.axis_label, target.xaxis.axis_label = columns.size, "iteration"
    for side, points in columns.ends.items():
        target.scatter(x="x", y="y", size=5, color=_COLOURS[side], source=source(points))
    return target
