"""The timeline's columns, and the table that says the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.report.html.colour import CATEGORIES, CHANGES, SAME
from perfgate.report.html.lanes import lay_out
from perfgate.report.html.timeline import timeline_geometry, timeline_view
from perfgate.report.html.timeline_drawing import BARS
from perfgate.report.html.view import MAIN
from tests.page_profiles import US, in_a_row, incident, kernel, large, material, operator, profile_of

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile

BEFORE = in_a_row({"a": 10, "b": 20})
AFTER = in_a_row({"a": 10, "b": 30})


def two_streams() -> Profile:
    rows = [operator(0, "a", 10 * US), operator(1, "b", 30 * US), operator(2, "c", 5 * US)]
    kernels = [
        kernel(rows[0], 0, slack_ps=20 * US, critical=False),
        kernel(rows[1], 0, stream=1, engine="vector"),
        kernel(rows[2], 30 * US, after=(0, 1)),
    ]
    return profile_of(rows, kernels)


def test_a_bar_lies_where_and_as_long_as_its_kernel_ran() -> None:
    lanes = lay_out(material(BEFORE, AFTER))
    geometry = timeline_geometry(lanes, material(BEFORE, AFTER).operators)
    assert geometry.unit == "us"
    assert geometry.walk["x0"] == [0.0, 10.0, 0.0, 10.0]
    assert geometry.walk["x1"] == [10.0, 30.0, 10.0, 40.0]
    assert geometry.walk["y1"] == [-0.0, -0.0, -1.0, -1.0]
    assert geometry.width == 40.0


def test_the_first_hue_names_the_engine_and_the_second_the_change_of_the_operator() -> None:
    given = material(BEFORE, AFTER)
    rows = timeline_geometry(lay_out(given), given.operators).rows
    assert set(rows["engine"]) == {CATEGORIES[0]}
    assert rows["change"] == [SAME, CHANGES[4], SAME, CHANGES[4]]


def test_the_critical_path_is_outlined_unless_it_is_everything() -> None:
    one_stream = material(BEFORE, AFTER)
    assert timeline_geometry(lay_out(one_stream), one_stream.operators).path == frozenset()
    assert "every kernel is on the critical path" in timeline_view(one_stream).hint
    profile = two_streams()
    given = material(None, profile)
    lanes = lay_out(given)
    path = timeline_geometry(lanes, given.operators).path
    assert {lanes.spans[row].kernel.name for row in path} == {"b", "c"}


def test_an_edge_leads_from_the_end_of_the_producer_to_the_start_of_the_one_that_waits() -> None:
    given = material(None, two_streams())
    geometry = timeline_geometry(lay_out(given), given.operators)
    assert (geometry.edges["x0"], geometry.edges["x1"]) == ([30.0], [30.0])
    assert geometry.edges["y0"] != geometry.edges["y1"]
    assert geometry.critical_edges == [0]


def test_copies_that_nobody_asked_for_are_hatched() -> None:
    given = incident()
    lanes = lay_out(given)
    hatched = timeline_geometry(lanes, given.operators).hatched
    implicit = {row for row, span in enumerate(lanes.spans) if span.kernel.implicit}
    assert hatched == implicit != set()


def test_waits_are_drawn_where_they_are_with_their_reason() -> None:
    given = material(None, large(60, 6))
    lanes = lay_out(given)
    geometry = timeline_geometry(lanes, given.operators)
    assert len(geometry.waits["left"]) == len(lanes.waits) > 0
    first = lanes.waits[0]
    assert geometry.waits["left"][0] == pytest.approx(first.start_ps / US)
    assert "waiting for the producer before" in str(geometry.waits["tip"][0])


def test_table_and_drawing_say_the_same_of_every_kernel_of_the_incident() -> None:
    given = incident()
    view = timeline_view(given)
    geometry = timeline_geometry(lay_out(given), given.operators)
    unit = {"us": US, "ms": 1000 * US}[geometry.unit]
    table = view.tables[0]
    assert len(table.rows) == sum(len(profile.kernels) for _, profile in given.sides)
    start, length = table.header.index("start"), table.header.index("duration")
    left, right = map(float, geometry.walk["x0"]), map(float, geometry.walk["x1"])
    for keys, x0, x1 in zip(table.keys, left, right, strict=True):
        assert x0 * unit == pytest.approx(float(keys[start]), abs=1)
        assert (x1 - x0) * unit == pytest.approx(float(keys[length]), abs=1)


def test_the_table_of_waits_has_a_row_for_each() -> None:
    given = material(None, large(60, 6))
    waits = timeline_view(given).tables[1]
    assert len(waits.rows) == len(lay_out(given).waits)
    assert {row[3] for row in waits.rows} == {"producer"}


def test_the_jump_shows_the_largest_gap_with_half_of_it_on_either_side() -> None:
    rows = [operator(0, "a", 10 * US), operator(1, "copy", 50 * US), operator(2, "c", 60 * US)]
    kernels = [kernel(rows[0], 0), kernel(rows[1], 10 * US, engine="host"), kernel(rows[2], 60 * US)]
    (jump,) = timeline_view(material(None, profile_of(rows, kernels))).buttons
    assert [(item.model, item.path) for item in jump.settings] == [
        (MAIN, "x_range.start"),
        (MAIN, "x_range.end"),
    ]
    assert [item.value for item in jump.settings] == [pytest.approx(0), pytest.approx(85)]  # gap 10..60


def test_kernels_that_are_not_listed_are_said() -> None:
    rest = msgspec.structs.replace(AFTER.kernels[0], index=-1, name="rest", variant="4800 kernels", owner=-1)
    profile = msgspec.structs.replace(AFTER, kernels=(*AFTER.kernels, rest))
    (note,) = timeline_view(material(None, profile)).notes
    assert note.startswith("after: 4800 kernels are too short")


def test_a_choice_of_a_colour_paints_every_step_of_detail() -> None:
    given = material(large(3000, 2), large(3000, 2))
    geometry = timeline_geometry(lay_out(given), given.operators)
    assert len(geometry.details) > 1
    names = {item.model for option in timeline_view(given).choices[0].options for item in option.settings}
    assert names == {f"{BARS}-{step}" for step in range(len(geometry.details))}
