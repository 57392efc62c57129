"""The data-flow view: its states, its columns by hand, and tables that say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from perfgate.report.html.colour import CHANGES, NEW
from perfgate.report.html.dataflow import dataflow_view
from perfgate.report.html.flow_columns import BOX, HEIGHT, HOST, LEAST_ROWS, WIDTH, line_width
from perfgate.report.html.flow_graph import MOST_VISIBLE
from tests.html_material import HOSTILE, MS, chain, copy, material, operator, profile

if TYPE_CHECKING:
    from perfgate.report.html.material import Material
    from perfgate.report.html.view import Option, View

BEFORE = profile(
    [
        operator(0, "net.stem", 5 * MS),
        operator(1, "net.left.conv", 10 * MS),
        operator(2, "net.left.relu", 1 * MS),
        operator(3, "net.right.conv", 10 * MS),
        operator(4, "net.right.relu", 1 * MS),
        operator(5, "net.head", 3 * MS),
    ]
)
AFTER = profile(
    [
        operator(0, "net.stem", 5 * MS, flops=100),
        operator(1, "net.left.conv", 90 * MS, flops=400),
        operator(2, "net.left.relu", 1 * MS),
        operator(3, "net.right.conv", 9 * MS, flops=400),
        operator(4, "net.right.relu", 1 * MS),
        operator(5, "net.head", 3 * MS),
        operator(6, "net.tail", 2 * MS),
    ],
    flows=[
        (-1, 0, 700),
        (0, 1, 400),
        (0, 3, 100),
        (1, 2, 50),
        (3, 4, 60),
        (2, 5, 10),
        (4, 5, 20),
        (5, 6, 1),
    ],
    copies=[copy(1, 1000, times=3), copy(1, 500), copy(0, 9, implicit=False), copy(-1, 7)],
)
TOY = material(BEFORE, AFTER)


def put(option: Option) -> dict[str, Any]:
    """What an action puts: columns of sources by name, and those of the walk."""
    found: dict[str, Any] = {"walk": {}}
    for setting in option.settings:
        if setting.model == "walk":
            found["walk"][setting.path] = setting.value
        else:
            assert setting.path == "data"
            found[setting.model] = setting.value
    return found


def shown_names(view: View, state: int) -> list[str]:
    rows = put(view.actions[state])["flow-boxes"]["row"]
    return [str(view.walk["label"][row]).split(":")[0] for row in rows]


@pytest.fixture(scope="module")
def view() -> View:
    return dataflow_view(TOY)


def test_the_start_opens_the_scopes_around_what_grew(view: View) -> None:
    # only left.conv grew by 1 % of the total; its neighbours are stem and left.relu; right stays closed
    assert shown_names(view, 0) == [
        "net.stem",
        "net.left.conv",
        "net.left.relu",
        "net.right",
        "net.head",
        "net.tail",
    ]


def test_each_scope_has_a_state_that_opens_it_and_closes_all_others(view: View) -> None:
    states = [option.label for option in view.actions]
    assert states == ["net", "net", "net.left", "net.right"]  # start, all closed, by how much they moved
    assert shown_names(view, 1) == ["net.stem", "net.left", "net.right", "net.head", "net.tail"]
    assert shown_names(view, 3) == [
        "net.stem",
        "net.left",
        "net.right.conv",
        "net.right.relu",
        "net.head",
        "net.tail",
    ]
    acts = dict(zip(map(str, view.walk["label"]), view.walk["act"], strict=True))
    opens = {label.split(":")[0]: act for label, act in acts.items()}
    assert (opens["net.left"], opens["net.right"], opens["net.stem"]) == (2, 3, -1)


def test_rows_lead_up_to_the_whole_model_and_the_start(view: View) -> None:
    names = [str(label).split(":")[0] for label in view.walk["label"]]
    parents = [names[row] if row >= 0 else "" for row in map(int, view.walk["parent"])]
    assert dict(zip(names, parents, strict=True)) == {
        "start": "",
        "net": "start",
        "net.stem": "net",
        "net.left": "net",
        "net.left.conv": "net.left",
        "net.left.relu": "net.left",
        "net.right": "net",
        "net.right.conv": "net.right",
        "net.right.relu": "net.right",
        "net.head": "net",
        "net.tail": "net",
    }


def test_boxes_stand_in_columns_and_grow_with_their_flops(view: View) -> None:
    boxes = put(view.actions[0])["flow-boxes"]
    by_name = dict(
        zip(
            shown_names(view, 0),
            zip(*(boxes[key] for key in ("x0", "x1", "y0", "y1")), strict=True),
            strict=True,
        )
    )
    # 6 columns are the least; depth: stem 0, left.conv and right 1, left.relu 2, head 3, tail 4
    assert {name: x0 for name, (x0, *_) in by_name.items()} == {
        "net.stem": 0,
        "net.left.conv": round(WIDTH / 6),
        "net.right": round(WIDTH / 6),
        "net.left.relu": round(2 * WIDTH / 6),
        "net.head": round(3 * WIDTH / 6),
        "net.tail": round(4 * WIDTH / 6),
    }
    assert by_name["net.stem"][1] == round(BOX * WIDTH / 6)
    unit = HEIGHT / LEAST_ROWS
    heights = {name: y1 - y0 for name, (_, _, y0, y1) in by_name.items()}
    # .3 without FLOPs, 1 for the most, .3 + .7 sqrt(100 / 400) = .65 for a quarter
    assert heights["net.left.conv"] == pytest.approx(unit, abs=1)
    assert heights["net.stem"] == pytest.approx(0.65 * unit, abs=1)
    assert heights["net.head"] == pytest.approx(0.3 * unit, abs=1)


def test_colours_say_what_changed(view: View) -> None:
    boxes = put(view.actions[0])["flow-boxes"]
    colours = dict(zip(shown_names(view, 0), boxes["colour"], strict=True))
    assert colours == {
        "net.stem": CHANGES[2],
        "net.left.conv": CHANGES[4],
        "net.left.relu": CHANGES[2],
        "net.right": CHANGES[1],  # 11 -> 10 ms
        "net.head": CHANGES[2],
        "net.tail": NEW,
    }


def test_lines_are_as_wide_as_the_root_of_their_bytes() -> None:
    assert line_width(400, 400) == 6.0
    assert line_width(100, 400) == 3.25  # .5 + 5.5 / 2
    assert line_width(0, 400) == 0.5
    assert line_width(0, 0) == 0.5


def test_an_implicit_copy_goes_up_to_the_host_in_the_gap_beside_its_box(view: View) -> None:
    state = put(view.actions[0])
    routes, texts = state["flow-routes"], state["flow-texts"]
    column = WIDTH / 6
    # the one copying box of its column: in the middle of the gap
    x = round(column * (1 + BOX + (1 - BOX) / 2))
    assert (routes["x0"], routes["x1"]) == ([round(column * (1 + BOX)), x], [x, x])
    assert routes["y1"][1] == HOST
    assert texts["text"] == ["3.50 kB"]  # 3 x 1000 + 500; the explicit copy of 9 is the call's own
    assert texts["x"] == [x]


def test_copies_that_nobody_owns_and_vanished_operators_are_said() -> None:
    gone = profile([*BEFORE.operators, operator(9, "net.gone", MS, op="Softmax")])
    notes = " ".join(dataflow_view(material(gone, AFTER)).notes)
    assert "1 operators that are only before" in notes
    assert "Implicit host copies of no operator: 1 of 7.00 B" in notes


def test_the_tables_say_what_is_drawn(view: View) -> None:
    parts, flows, copies = view.tables
    drawn, lines, routes = set(), set(), set()
    for number, option in enumerate(view.actions):
        state = put(option)
        drawn |= set(shown_names(view, number))
        lines |= set(state["flow-lines"]["tip"])
        routes |= set(
            zip(
                (str(view.walk["label"][row]).split(":")[0] for row in state["flow-texts"]["row"]),
                state["flow-texts"]["text"],
                strict=True,
            )
        )
    assert {row[0] for row in parts.rows} == drawn | {"net"}
    assert {f"{source} -> {target}: {size}" for target, source, size in flows.rows} == lines
    assert {(row[0], row[-1]) for row in copies.rows} == routes
    for table in view.tables:
        assert all(len(row) == len(table.header) for row in table.rows)
        assert all(len(row) == len(table.header) for row in table.keys)


def test_flows_between_closed_scopes_are_summed(view: View) -> None:
    _, flows, _ = view.tables
    sizes = {row[:2]: row[2] for row in flows.rows}
    assert sizes["net.left", "net.stem"] == "400 B"
    assert sizes["net.head", "net.right"] == "20.0 B"
    assert ("net.left", "net.left") not in sizes


def test_arrow_keys_follow_the_largest_flow(view: View) -> None:
    names = [str(label).split(":")[0] for label in view.walk["label"]]
    row = names.index("net.stem")
    assert names[int(view.walk["right"][row])] == "net.left.conv"  # 400 B, right gets 100
    assert names[int(view.walk["left"][names.index("net.head")])] == "net.right"  # 20 B against 10


def test_at_most_300_nodes_are_visible() -> None:
    before = chain([MS] * 2000, [8] * 1999, scope="net.")
    after = chain([2 * MS if number % 500 == 0 else MS for number in range(2000)], [8] * 1999, scope="net.")
    made = dataflow_view(material(before, after))
    assert max(len(put(option)["flow-boxes"]["row"]) for option in made.actions) <= MOST_VISIBLE


def test_every_column_of_every_state_has_one_length(view: View) -> None:
    for option in view.actions:
        for name, columns in put(option).items():
            lengths = {len(column) for column in columns.values()}
            assert len(lengths) == 1
            if name == "walk":
                assert lengths == {len(view.walk["op"])}


def test_equal_material_gives_equal_views(view: View) -> None:
    other = dataflow_view(TOY)
    assert (other.walk, other.tables, other.actions) == (view.walk, view.tables, view.actions)


def hostile() -> Material:
    rows = [operator(number, name, MS) for number, name in enumerate(HOSTILE)]
    return material(None, profile(rows, [(number, number + 1, 4) for number in range(len(rows) - 1)]))


def test_hostile_names_are_cut_and_made_visible() -> None:
    made = dataflow_view(hostile())
    texts = [*map(str, made.walk["label"]), *map(str, made.walk["name"])]
    texts += [cell for table in made.tables for row in table.rows for cell in row]
    assert all(len(text) < 400 for text in texts)
    assert not any(sign in text for text in texts for sign in "\u202e\x00")


def test_a_single_profile_is_coloured_by_share() -> None:
    made = dataflow_view(material(None, AFTER))
    assert "slower" not in " ".join(swatch.text for swatch in made.legend)


def test_a_profile_without_operators_draws_nothing() -> None:
    made = dataflow_view(material(None, profile([])))
    assert made.notes == ("The profile knows no data flow between operators.",)
    assert put(made.actions[0])["flow-boxes"]["row"] in ([], [1])
