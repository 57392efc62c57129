"""The data-flow columns as a Bokeh plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.colour import DANGER
from perfgate.report.html.drawing import INK, add_cursor, add_labels, plot, source
from perfgate.report.html.flow_columns import HOST, WIDTH
from perfgate.report.html.view import MAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bokeh.models import LayoutDOM

    from perfgate.report.html.view import Columns

SOURCES = {name: f"flow-{name}" for name in ("boxes", "lines", "routes", "texts")}
COPY_PIXELS = 5  # an abnormal copy is thicker than most flows, and dashed
_PIXELS = 560
_TOP = HOST + 140  # room for the texts above the host's line


def draw_flow(columns: Mapping[str, Columns]) -> LayoutDOM:
    """The plot `main`: lines below boxes, copy routes above all, one source for each."""
    from bokeh.models.annotations import Label, Span  # noqa: PLC0415 - 400 ms
    from bokeh.models.glyphs import Text  # noqa: PLC0415 - the same

    made = {name: source(columns[name], SOURCES[name]) for name in SOURCES}
    margin = WIDTH // 100
    target = plot(name=MAIN, height=_PIXELS, x=(-margin, WIDTH + margin), y=(-40, _TOP))
    target.xaxis.visible = target.yaxis.visible = False
    target.segment(
        x0="x0", y0="y0", x1="x1", y1="y1", line_width="width", line_color=INK, line_alpha=0.7,
        nonselection_line_alpha=0.7, source=made["lines"],
    )  # fmt: skip
    target.quad(
        left="x0", right="x1", bottom="y0", top="y1", fill_color="colour", line_color=INK, line_width=0.5,
        hatch_pattern="hatch", hatch_color="#ffffff", hatch_alpha=0.6, hatch_scale=8,
        nonselection_fill_alpha=1.0, source=made["boxes"],
    )  # fmt: skip
    target.segment(
        x0="x0", y0="y0", x1="x1", y1="y1", line_width=COPY_PIXELS, line_color=DANGER, line_dash=[8, 4],
        nonselection_line_alpha=1.0, source=made["routes"],
    )  # fmt: skip
    text = Text(
        x="x", y="y", text="text", text_color=DANGER, text_font_size="12px", text_font_style="bold",
        text_align="center", text_baseline="bottom", background_fill_color="#ffffff",
        background_fill_alpha=0.8,
    )  # fmt: skip
    target.add_glyph(made["texts"], text)
    target.add_layout(Span(location=HOST, dimension="width", line_color=INK, line_width=2))
    target.add_layout(Label(x=0, y=HOST, text="host memory", text_color=INK, text_font_size="12px"))
    add_labels(target)
    add_cursor(target)
    return target
