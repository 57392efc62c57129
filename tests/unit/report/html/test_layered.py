"""The layered drawing on graphs small enough to draw by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from perfgate.report.html.layered import BEND, BEND_GAP, GAP, layered, spread


def test_a_chain_is_a_straight_line() -> None:
    layout = layered([1.0, 0.5, 1.0], [(0, 1), (1, 2)])
    assert layout.columns == (0, 1, 2)
    assert layout.places == (0.5, 0.5, 0.5)
    assert layout.routes == (((0, 0.5), (1, 0.5)), ((1, 0.5), (2, 0.5)))
    assert (layout.width, layout.height) == (3, 1.0)


def test_a_skip_connection_gets_a_place_of_its_own_in_the_columns_it_crosses() -> None:
    layout = layered([1.0] * 3, [(0, 1), (1, 2), (0, 2)])
    route = layout.routes[2]
    assert [column for column, _ in route] == [0, 1, 2]
    # in column 1 the bend keeps half the node's height, half its own and the gap away from the node
    assert abs(route[1][1] - layout.places[1]) == pytest.approx(0.5 + BEND / 2 + GAP)


def test_two_branches_do_not_cross() -> None:
    # 0 -> 1 -> 3, 0 -> 2 -> 4: places must have one order in both columns
    layout = layered([1.0] * 5, [(0, 1), (0, 2), (1, 4), (2, 3)])
    assert layout.columns == (0, 1, 1, 2, 2)
    assert (layout.places[1] < layout.places[2]) == (layout.places[4] < layout.places[3])


def test_an_input_stands_right_before_its_reader() -> None:
    layout = layered([1.0] * 4, [(0, 1), (1, 3), (2, 3)])
    assert layout.columns == (0, 1, 1, 2)


def test_an_edge_against_the_order_of_running_ends_where_it_began() -> None:
    """Two closed scopes may feed each other."""
    layout = layered([1.0, 1.0], [(0, 1), (1, 0)])
    assert layout.columns == (0, 1)
    assert layout.routes[1] == tuple(reversed(layout.routes[0]))


def test_neighbours_of_a_column_keep_their_distance() -> None:
    heights = [1.0, 0.4, 0.8, 1.0, 0.3]
    layout = layered(heights, [(0, 1), (0, 2), (0, 3), (0, 4)])
    column = sorted(range(1, 5), key=lambda node: layout.places[node])
    for lower, upper in pairwise(column):
        distance = layout.places[upper] - layout.places[lower]
        assert distance >= (heights[lower] + heights[upper]) / 2 + GAP - 1e-9
    assert layout.height == pytest.approx(2.5 + 3 * GAP)


def test_places_move_as_little_as_the_gaps_allow() -> None:
    # Three of height 1 need 1.4 between centres; wanted 0, 0, 9: two share the error, the third is free
    assert spread([0, 0, 9], [1, 1, 1]) == pytest.approx([-0.7, 0.7, 9])
    # and wanted in the wrong order they meet in the middle: centres around the mean of 5 and 1
    assert spread([5, 1], [1, 1]) == pytest.approx([3 - 0.7, 3 + 0.7])
    assert spread([0, 0], [BEND, BEND]) == pytest.approx([-(BEND + BEND_GAP) / 2, (BEND + BEND_GAP) / 2])


def test_no_graph_at_all_has_no_size() -> None:
    layout = layered([], [])
    assert (layout.width, layout.height, layout.places) == (0, 0.0, ())
