"""The heat map: every picosecond of work is in exactly one bin."""

from __future__ import annotations

from itertools import pairwise

import pytest

from perfgate.report.html.colour import SHADES
from perfgate.report.html.heat import BINS, bin_edges, heat_geometry, heat_rows, heat_view, operator_type
from perfgate.report.html.lanes import ENGINES, lay_out, listed
from perfgate.report.html.timeline import timeline_geometry
from tests.page_profiles import US, in_a_row, incident, kernel, material, operator, profile_of


def test_the_bins_cover_the_length_exactly() -> None:
    edges = bin_edges(1_000_003)
    assert (edges[0], edges[-1], len(edges)) == (0, 1_000_003, BINS + 1)
    assert all(after >= before for before, after in pairwise(edges))


@pytest.mark.parametrize("by", ["engine", "type"])
def test_busy_time_of_all_bins_is_that_of_all_kernels_of_the_incident(by: str) -> None:
    given = incident()
    if by == "engine":
        rows = heat_rows(given, lambda row: row.engine, ENGINES)
    else:
        types = tuple({operator_type(row) for _, profile in given.sides for row in listed(profile)})
        rows = heat_rows(given, operator_type, types)
    for is_after, (_, profile) in enumerate(given.sides):
        total = sum(sum(row.busy_ps) for row in rows if row.is_after == bool(is_after))
        assert total == sum(row.duration_ps for row in listed(profile))


def test_a_kernel_is_busy_in_the_bins_that_it_runs_in() -> None:
    # 120 us in 120 bins of 1 us: idle, then the kernel from 30.5 to 32 us, then up to the end.
    rows = [operator(0, "a", US), operator(1, "b", 3 * US // 2), operator(2, "end", US)]
    kernels = [kernel(rows[0], 0), kernel(rows[1], 30 * US + US // 2), kernel(rows[2], 119 * US)]
    (row,) = heat_rows(material(None, profile_of(rows, kernels)), lambda item: item.engine, ENGINES)
    assert {place: busy for place, busy in enumerate(row.busy_ps) if busy} == {
        0: US,
        30: US // 2,
        31: US,
        119: US,
    }


def test_a_cell_is_shaded_by_how_much_of_its_bin_is_busy_and_idle_bins_are_not_drawn() -> None:
    rows = [operator(0, "a", US), operator(1, "b", US // 2), operator(2, "end", US)]
    kernels = [kernel(rows[0], 0), kernel(rows[1], 30 * US), kernel(rows[2], 119 * US)]
    given = material(None, profile_of(rows, kernels))
    geometry = heat_geometry({"engines": heat_rows(given, lambda item: item.engine, ENGINES)}, 120 * US)
    cells = geometry.maps[0].columns
    assert cells["left"] == [0.0, 30.0, 119.0]
    assert cells["colour"] == [SHADES[4], SHADES[2], SHADES[4]]
    assert geometry.walk["label"][1] == "after  matrix   30.0 us to 31.0 us   busy 50 %"


def test_heat_map_and_timeline_have_one_time_axis_because_a_brush_joins_them() -> None:
    given = incident()
    timeline = timeline_geometry(lay_out(given), given.operators)
    view = heat_view(given)
    assert view.brushes == "timeline"
    geometry = heat_geometry(
        {"x": heat_rows(given, lambda row: row.engine, ENGINES)}, lay_out(given).length_ps
    )
    assert (geometry.unit, geometry.width) == (timeline.unit, timeline.width)


def test_the_table_has_the_busy_share_of_the_whole_and_of_each_tenth() -> None:
    profile = in_a_row({"a": 50, "b": 50})
    table = heat_view(material(None, profile)).tables[0]
    assert table.rows == (("matrix", "after", "100.0 %", *["100.0 %"] * 10),)


def test_the_second_choice_shows_the_types_and_hides_the_engines() -> None:
    (choice,) = heat_view(incident()).choices
    shown = {item.model: item.value for item in choice.options[1].settings if item.path == "visible"}
    assert shown == {
        "heat-cells-engines": False,
        "heat-axis-engines": False,
        "heat-cells-types": True,
        "heat-axis-types": True,
    }
