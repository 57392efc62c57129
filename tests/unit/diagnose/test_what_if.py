from __future__ import annotations

import pytest

from perfgate.core.difference import Change, DifferenceKind, Side
from perfgate.diagnose.what_if import (
    MOST_SECONDS,
    MOST_SIMULATIONS,
    ONE_BY_ONE,
    interaction,
    recovered,
    undo_each,
)
from tests.counterfactuals import Table, difference, simulations
from tests.hand_profiles import MS


def test_each_difference_is_undone_alone_and_its_share_of_the_delta_is_told() -> None:
    table = Table(costs={"x": 60, "y": 20, "z": 0})
    found = undo_each([difference(name) for name in "xyz"], table.amounts, simulations(table))
    # The delta is 80 ms: without x 120 ms are left of 180, without y 160.
    assert [(item.difference.name, item.recovered) for item in found] == [
        ("x", 0.75),
        ("y", 0.25),
        ("z", 0.0),
    ]
    assert [item.amount for item in found] == [120 * MS, 160 * MS, 180 * MS]
    assert len(table.asked) == 3


def test_what_only_the_machine_differs_in_cannot_be_undone() -> None:
    table = Table(costs={"x": 60})
    found = undo_each([difference("x", DifferenceKind.CONTEXT)], table.amounts, simulations(table))
    assert (found, table.asked) == ((), [])


@pytest.mark.parametrize("culprit", range(20))
def test_one_culprit_of_twenty_differences_is_found_within_the_budget(culprit: int) -> None:
    names = [f"d{number}" for number in range(20)]
    table = Table(costs={name: 50 * (name == f"d{culprit}") for name in names})
    asked = simulations(table)
    (found,) = undo_each([difference(name) for name in names], table.amounts, asked)
    assert (found.difference.name, found.recovered) == (f"d{culprit}", 1.0)
    assert asked.count <= 12  # all at once, two for each of five halvings (20, 10, 5, 3, 2), the last alone
    assert asked.notes == []


def test_two_culprits_of_twenty_are_found_and_told_apart() -> None:
    names = [f"d{number}" for number in range(20)]
    table = Table(costs={name: {"d3": 30, "d17": 70}.get(name, 0) for name in names})
    asked = simulations(table)
    found = undo_each([difference(name) for name in names], table.amounts, asked)
    shares = {item.difference.name: item.recovered for item in found if item.recovered}
    assert shares == {"d3": 0.3, "d17": 0.7}
    assert asked.count <= MOST_SIMULATIONS


def test_a_search_that_finds_no_small_set_leaves_simulations_for_the_causes() -> None:
    names = [f"d{number}" for number in range(40)]
    table = Table(costs=dict.fromkeys(names, 2))  # everybody has a part in it: no small set holds nine tenths
    asked = simulations(table)
    found = undo_each([difference(name) for name in names], table.amounts, asked)
    assert len(found) >= ONE_BY_ONE
    assert asked.count == MOST_SIMULATIONS
    assert "of 40 differences are left: a smaller set was not looked for" in asked.notes[0]
    assert asked.notes[1] == "stopped after 32 re-simulations: 32 or 20 s at most"


def test_where_all_differences_together_bring_little_back_there_is_no_set_to_look_for() -> None:
    names = [f"d{number}" for number in range(9)]
    table = Table(costs={**dict.fromkeys(names, 1), "the model": 900})
    asked = simulations(table)
    found = undo_each([difference(name) for name in names], table.amounts, asked)
    assert len(found) == 9
    assert asked.count == 10
    assert asked.notes == ["9 differences together do not bring most of the delta back"]


def test_the_same_change_is_simulated_once() -> None:
    table = Table(costs={"x": 1})
    asked = simulations(table)
    change = Change(side=Side.AFTER, taken=(difference("x"),))
    assert asked.profile(change) is asked.profile(change)
    assert asked.count == 1


def test_time_is_a_budget_as_well_and_a_cut_is_said_once() -> None:
    times = iter([0.0, 1.0, MOST_SECONDS + 1, MOST_SECONDS + 2])
    table = Table(costs={"x": 1, "y": 1, "z": 1})
    asked = simulations(table, lambda: next(times))
    found = undo_each([difference(name) for name in "xyz"], table.amounts, asked)
    assert [item.difference.name for item in found] == ["x"]
    assert asked.notes == ["stopped after 1 re-simulations: 32 or 20 s at most"]


def test_what_cannot_be_simulated_is_a_note_with_its_reason() -> None:
    table = Table(costs={"x": 10, "y": 10}, refused=frozenset({"x"}))
    asked = simulations(table)
    found = undo_each([difference("x"), difference("y")], table.amounts, asked)
    assert [item.difference.name for item in found] == ["y"]
    assert asked.notes == ["cannot simulate x undone: cannot be compiled"]


def test_an_unchanged_amount_has_no_share_to_recover() -> None:
    assert recovered(90, (100, 100)) == 0.0
    assert recovered(90, (100, 110)) == 2.0  # better than the baseline


def test_two_differences_that_only_cost_together_are_an_interaction() -> None:
    table = Table(costs={"x": 0, "y": 0}, together={("x", "y"): 50})
    asked = simulations(table)
    undone = undo_each([difference("x"), difference("y")], table.amounts, asked)
    # Each alone brings everything back, so the shares sum to 2.
    assert interaction(undone, table.amounts, asked) == (
        "x and y act together: undone alone they bring back 100 % and 100 % of the delta, together 100 %"
    )


def test_shares_that_add_up_are_no_interaction_and_cost_no_simulation() -> None:
    table = Table(costs={"x": 30, "y": 70})
    asked = simulations(table)
    undone = undo_each([difference("x"), difference("y")], table.amounts, asked)
    assert interaction(undone, table.amounts, asked) == ""
    assert asked.count == 2


def test_a_rest_that_nobody_explains_is_no_interaction() -> None:
    table = Table(costs={"x": 30, "y": 20, "the model": 50})
    asked = simulations(table)
    undone = undo_each([difference("x"), difference("y")], table.amounts, asked)
    assert interaction(undone, table.amounts, asked) == ""
    assert asked.count == 3
