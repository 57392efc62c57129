"""Operators against the ridge point of the device."""

from __future__ import annotations

import math

import pytest

from perfgate.npu.device_file import load_device
from perfgate.report.html.heat import heat_view
from perfgate.report.html.intensity import (
    ABOVE,
    BELOW,
    MOST,
    intensity_dots,
    intensity_plot,
    intensity_table,
    ridge_point,
)
from tests.page_profiles import US, incident, kernel, large, material, operator, profile_of

ROWS = [
    operator(0, "matrix", 90 * US, intensity=200.0, is_above_ridge=True, bound="matrix"),
    operator(1, "vector", 10 * US, intensity=0.1, is_above_ridge=False, bound="dram"),
    operator(2, "copy", 5 * US, intensity=0.0, is_above_ridge=False),
]
GIVEN = material(None, profile_of(ROWS, [kernel(ROWS[0], 0), kernel(ROWS[1], 90 * US)]))


def test_the_ridge_is_where_arithmetic_and_memory_take_the_same_time() -> None:
    device = load_device("ascend-310p-like")
    ridge = ridge_point(device)
    assert ridge is not None
    flops = 2 * device.peak_macs_per_second("float16")
    assert flops / ridge == pytest.approx(device.dram.gb_s * 1e9)
    assert ridge_point(None) is None


def test_a_dot_lies_at_its_intensity_and_share_and_has_the_colour_of_its_side_of_the_ridge() -> None:
    plot = intensity_plot(intensity_dots(GIVEN), None, 7)
    assert list(plot.dots["x"]) == [pytest.approx(math.log10(200)), pytest.approx(-1)]
    assert list(plot.dots["y"]) == [pytest.approx(math.log10(0.9)), pytest.approx(-1)]
    assert plot.dots["colour"] == [ABOVE, BELOW]
    assert plot.dots["row"] == [7, 8]


def test_guides_stand_at_one_and_ten_and_the_ridge_of_the_device_beside_them() -> None:
    device = load_device("ascend-310p-like")
    plot = intensity_plot(intensity_dots(GIVEN), device, 0)
    assert plot.guides == [0.0, 1.0]
    assert plot.ridge == pytest.approx(math.log10(ridge_point(device) or 0))
    assert plot.left < -1
    assert 1 < (plot.ridge or 0) < plot.right


def test_what_moves_or_computes_nothing_has_no_dot() -> None:
    assert [dot.operator for dot in intensity_dots(GIVEN)] == [0, 1]


def test_the_longest_operators_are_drawn_and_their_number_is_said() -> None:
    given = material(None, large(MOST + 100, 2))
    dots = intensity_dots(given)
    assert len(dots) == MOST
    left_out = sorted((item.after_ps for item in given.operators), reverse=True)[MOST:]
    assert min(dot.time_ps for dot in dots) >= max(left_out)
    assert intensity_table(dots, None).caption.startswith(f"Arithmetic intensity of the {MOST} longest")


def test_the_table_says_what_the_dots_show() -> None:
    table = intensity_table(intensity_dots(GIVEN), load_device("ascend-310p-like"))
    assert table.rows[0] == ("#0 matrix", "200", "above the ridge", "matrix", "90.0 us", "90.0 %")
    assert "ridge of the device at " in table.caption


def test_side_of_the_ridge_agrees_with_the_profile_of_the_incident() -> None:
    given = incident()
    ridge = ridge_point(given.after.machine)
    assert ridge is not None
    assert all(dot.is_above == (dot.intensity > ridge) for dot in intensity_dots(given))


def test_dots_can_be_selected_behind_the_cells_of_the_map() -> None:
    view = heat_view(GIVEN)
    assert view.walk["op"][-2:] == [0, 1]
    assert str(view.walk["label"][-1]).startswith("#1 vector   0.1 FLOP/B   below the ridge")
    assert view.tables[2].operators == (0, 1)
