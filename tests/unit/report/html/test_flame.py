"""The flame graph's columns: widths are times, hues are changes, and the table says the same."""

from __future__ import annotations

import pytest

from perfgate.report.html.colour import CHANGES, GONE, HEAT, NEW, SAME
from perfgate.report.html.flame import flame_geometry, flame_table, flame_view
from perfgate.report.html.flame_drawing import BARS
from perfgate.report.html.frames import flame_frames
from perfgate.report.html.material import PageOperator, pair_operators
from tests.page_profiles import US, in_a_row, incident, material

BEFORE = in_a_row({"net.same": 10, "net.slower": 10, "net.faster": 10, "net.gone": 10})
AFTER = in_a_row({"net.same": 10, "net.slower": 30, "net.faster": 5, "net.new": 5})
OLD = {row.name: row for row in BEFORE.operators}
NOW = {row.name: row for row in AFTER.operators}
FRAMES = flame_frames(
    tuple(PageOperator(before=OLD.get(name), after=NOW.get(name)) for name in dict.fromkeys((*NOW, *OLD))),
    "run",
)
ROWS = {frame.name: row for row, frame in enumerate(FRAMES)}


def test_a_box_is_as_wide_as_its_time_and_lies_where_its_parent_is() -> None:
    geometry = flame_geometry(FRAMES, has_before=True)
    assert geometry.unit == "us"
    slower = geometry.boxes[ROWS["slower"]]
    assert (slower.x0, slower.x1, slower.y1) == (10.0, 40.0, -2.0)
    assert geometry.boxes[ROWS["net"]][:2] == (0.0, 50.0)
    assert geometry.width == 50.0


def test_what_is_gone_lies_in_the_strip_below_everything_else() -> None:
    geometry = flame_geometry(FRAMES, has_before=True)
    gone = geometry.boxes[ROWS["gone"]]
    others = [box for row, box in enumerate(geometry.boxes) if row != ROWS["gone"]]
    assert (gone.x0, gone.x1) == (0.0, 10.0)
    assert geometry.strip is not None
    assert gone.y1 < geometry.strip < min(box.y0 for box in others)
    assert geometry.bottom == gone.y0


def test_without_a_vanished_frame_there_is_no_strip() -> None:
    frames = flame_frames(pair_operators(AFTER.operators, AFTER.operators), "run")
    assert flame_geometry(frames, has_before=True).strip is None


@pytest.mark.parametrize(
    ("name", "change"),
    [("same", SAME), ("slower", CHANGES[4]), ("faster", CHANGES[0]), ("new", NEW), ("gone", GONE)],
)
def test_the_hue_is_the_frames_own_change(name: str, change: str) -> None:
    assert flame_geometry(FRAMES, has_before=True).rows["change"][ROWS[name]] == change


def test_other_hues_are_the_share_of_either_side_and_its_change() -> None:
    rows = flame_geometry(FRAMES, has_before=True).rows
    slower, same = ROWS["slower"], ROWS["same"]
    # slower: 10 of 40 before, 30 of 50 now; same: a quarter before, a fifth now
    assert (rows["before"][slower], rows["after"][slower]) == (HEAT[2], HEAT[3])
    assert rows["share_change"][slower] == CHANGES[4]
    assert rows["share_change"][same] == CHANGES[0]  # a fifth less of the whole


def test_only_what_became_faster_is_hatched() -> None:
    assert flame_geometry(FRAMES, has_before=True).hatched == {ROWS["faster"]}


def test_with_one_profile_the_hue_is_heat_and_nothing_speaks_of_a_change() -> None:
    view = flame_view(material(None, AFTER))
    geometry = flame_geometry(flame_frames(pair_operators(None, AFTER.operators), "run"), has_before=False)
    assert set(geometry.rows) == {"after"}
    assert geometry.hatched == frozenset()
    assert [option.label for option in view.choices[1].options] == ["after"]


def test_arrow_keys_lead_to_parent_longest_child_and_neighbours() -> None:
    walk = flame_geometry(FRAMES, has_before=True).walk
    net = ROWS["net"]
    assert (walk["up"][net], walk["down"][net]) == (0, ROWS["slower"])
    assert (walk["left"][ROWS["slower"]], walk["right"][ROWS["slower"]]) == (ROWS["same"], ROWS["faster"])
    assert walk["left"][ROWS["same"]] == -1
    assert walk["up"][0] == -1


def test_table_and_drawing_say_the_same_of_every_frame_of_the_incident() -> None:
    given = incident()
    view = flame_view(given)
    frames = flame_frames(given.operators, "drawn on drawn")
    geometry = flame_geometry(frames, has_before=True)
    (table,) = view.tables
    assert len(table.rows) == len(view.walk["op"]) == len(frames)
    unit = {"us": US, "ms": 1000 * US}[geometry.unit]
    for keys, box, frame in zip(table.keys, geometry.boxes, frames, strict=True):
        shown = frame.before_ps if frame.is_gone else frame.after_ps
        assert (box.x1 - box.x0) * unit == pytest.approx(shown, abs=1)
        assert keys[1:3] == (frame.before_ps, frame.after_ps)


def test_the_table_names_a_frame_by_its_whole_path() -> None:
    table = flame_table(FRAMES)
    assert table.rows[ROWS["slower"]] == ("net.slower", "10.0 us", "30.0 us", "+200 %", "60.0 %")
    assert table.rows[ROWS["gone"]] == ("net.gone", "10.0 us", "0 s", "-100 %", "0.0 %")
    assert table.rows[ROWS["new"]][3] == "new"


def test_every_choice_of_a_colour_paints_every_step_of_detail() -> None:
    view = flame_view(incident())
    colours = view.choices[1]
    names = {setting.model for option in colours.options for setting in option.settings}
    geometry = flame_geometry(flame_frames(incident().operators, "x"), has_before=True)
    assert names == {f"{BARS}-{step}" for step in range(len(geometry.details))}
    assert [option.label for option in colours.options] == ["change", "change of share", "before", "after"]
