"""How plots of the page are set up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bokeh.models import HoverTool, PlainText

from perfgate.report.html.drawing import add_hatching, category_axis, outline, plot, set_range, source
from perfgate.report.html.pixels import Bar, Detail
from perfgate.report.html.views import page_views
from tests.page_profiles import incident

if TYPE_CHECKING:
    from perfgate.report.html.view import Columns, View


def test_numbers_are_packed_and_texts_are_not() -> None:
    columns: Columns = {"whole": [1, 2], "big": [1, 2**40], "part": [0.5, 1.5], "text": ["a", "b"]}
    data: Any = source(columns).data
    assert data["whole"].dtype == np.int32
    assert data["big"].dtype == data["part"].dtype == np.float32
    assert data["text"] == ["a", "b"]
    assert list(source({"none": []}).data["none"]) == []


def test_a_name_on_an_axis_is_plain_text_because_two_dollars_would_ask_the_network_for_tex() -> None:
    axis = category_axis({0.5: "$$\\alpha$$"}, name="lanes")
    label = axis.major_label_overrides[0.5]
    assert isinstance(label, PlainText)
    assert label.text == "$$\\alpha$$"


def test_only_the_far_view_is_shown_at_the_start() -> None:
    target = plot(name="p", height=100, x=(0, 1), y=(0, 1))
    far, near = target.scatter([0], [0]), target.scatter([0], [0])
    set_range(far, 0.1, math.inf)
    set_range(near, 0.0, 0.1)
    assert (far.visible, near.visible) == (True, False)
    assert near.tags == [{"detail": [0.0, 0.1]}]


def test_hatching_is_one_pattern_over_the_chosen_bars() -> None:
    target = plot(name="p", height=100, x=(0, 1), y=(0, 1))
    bars: Columns = {
        "left": [0.0, 1.0],
        "right": [1.0, 2.0],
        "bottom": [0.0, 0.0],
        "top": [1.0, 1.0],
        "row": [4, 9],
    }
    detail = Detail(0.0, math.inf, 0.1, (Bar(0, 1, 4), Bar(1, 2, 9)))
    add_hatching(target, bars, frozenset({9}), detail)
    renderer: Any = target.renderers[0]
    assert list(renderer.data_source.data["left"]) == [1.0]
    assert renderer.glyph.hatch_pattern == "right_diagonal_line"
    add_hatching(target, bars, frozenset(), detail)
    assert len(target.renderers) == 1


def test_narrow_bars_have_no_outline_that_would_hide_them() -> None:
    detail = Detail(0.0, math.inf, 1.0, ())
    assert outline(Bar(0, 10, 0), detail) == "#ffffff"
    assert outline(Bar(0, 2, 0), detail) == "#00000000"


@pytest.mark.parametrize("view", page_views(incident()), ids=lambda view: view.name)
def test_no_tooltip_of_bokeh_ever_holds_a_name(view: View) -> None:
    tools: Any = view.draw().select({"type": HoverTool})
    assert all(tool.tooltips is None for tool in tools)
