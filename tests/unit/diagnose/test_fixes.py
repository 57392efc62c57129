from __future__ import annotations

import pytest

from perfgate.core.diagnosis import Fix, Severity
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.fixes import MOST_FIXES, Proposal, all_together, simulate_fixes
from perfgate.diagnose.suspect import Remedy
from tests.counterfactuals import BASE, Table, difference, simulations
from tests.hand_profiles import MS


def restore(name: str, cause: int = 0) -> Proposal:
    remedy = Remedy(title=f"restore {name}", risk="none", taken=(difference(name),))
    return Proposal(remedy=remedy, cause=cause)


def put(name: str, value: str = "1", cause: int = -1) -> Proposal:
    setting = NewSetting(kind=DifferenceKind.FLAG, name=name, value=value)
    return Proposal(remedy=Remedy(title=f"put {name}", risk="some", settings=(setting,)), cause=cause)


def advice(title: str, cause: int = 0) -> Proposal:
    return Proposal(remedy=Remedy(title=title, risk="", advice="do it by hand"), cause=cause)


def fixes(table: Table, *proposals: Proposal) -> tuple[Fix, ...]:
    return simulate_fixes(proposals, table.amounts, simulations(table))


def test_each_fix_is_simulated_alone_from_now_and_the_best_comes_first() -> None:
    table = Table(costs={"x": 40, "y": 10}, settings={"k": -30})
    found = fixes(table, restore("y"), put("k"), restore("x"))
    assert [(fix.title, fix.after) for fix in found] == [
        ("restore x", 110 * MS),
        ("put k", 120 * MS),
        ("restore y", 140 * MS),
    ]
    assert not any(fix.is_estimated for fix in found)


def test_severity_is_the_share_of_the_delta() -> None:
    table = Table(costs={"x": 20, "y": 19, "z": 9, "rest": 52})  # of 100 ms
    found = fixes(table, *(restore(name) for name in "xyz"))
    assert [fix.severity for fix in found] == [Severity.HIGH, Severity.MEDIUM, Severity.LOW]


def test_what_gains_nothing_or_cannot_be_simulated_is_left_out() -> None:
    # 1 % of the 150 ms now is the least: 1.5 ms.
    table = Table(costs={"x": 47, "y": 2, "z": 1}, settings={"worse": 9}, refused=frozenset({"w"}))
    found = fixes(table, *(restore(name) for name in "xyzw"), put("worse"))
    assert [fix.title for fix in found] == ["restore x", "restore y"]


def test_without_a_baseline_the_gain_counts_against_now() -> None:
    table = Table(costs={"x": 0}, settings={"k": -30})
    (found,) = simulate_fixes([put("k")], (0, BASE), simulations(table))
    assert (found.after, found.severity) == (70 * MS, Severity.HIGH)


def test_without_simulations_remedies_of_causes_are_estimates_and_opportunities_are_guesses() -> None:
    found = simulate_fixes([restore("x"), put("k")], (BASE, 2 * BASE), None)
    assert [(fix.title, fix.after, fix.is_estimated) for fix in found] == [("restore x", None, True)]


def test_one_setting_gets_one_value_the_better_one() -> None:
    table = Table(costs={"x": 40}, settings={"x": -10})
    found = fixes(table, put("x", cause=0), restore("x"))  # both touch the flag x
    assert [fix.title for fix in found] == ["restore x"]


def test_the_same_change_is_proposed_once_and_simulated_once() -> None:
    table = Table(costs={"x": 40})
    found = fixes(table, restore("x", cause=0), restore("x", cause=1))
    assert [fix.cause for fix in found] == [0]
    assert len(table.asked) == 1


def test_advice_comes_last_and_only_where_nothing_mends_the_cause() -> None:
    table = Table(costs={"x": 40})
    found = fixes(
        table, advice("ask somebody", 1), advice("rewrite it", 0), restore("x", 0), advice("wait", 2)
    )
    assert [(fix.title, fix.after) for fix in found] == [
        ("restore x", BASE),
        ("ask somebody", None),
        ("wait", None),
    ]
    assert all(fix.severity is Severity.LOW for fix in found[1:])


def test_at_most_five_are_kept() -> None:
    names = "abcdefg"
    table = Table(costs=dict.fromkeys(names, 10))
    assert len(fixes(table, *(restore(name) for name in names))) == MOST_FIXES


def test_all_together_is_simulated_and_never_a_sum() -> None:
    table = Table(costs={"x": 0, "y": 0}, together={("x", "y"): 50})
    found = fixes(table, restore("x", 0), restore("y", 1))
    assert [fix.after for fix in found] == [BASE, BASE]  # each alone gains the whole 50 ms
    assert all_together(found, simulations(table)) == BASE


@pytest.mark.parametrize("names", ["", "x"])
def test_fewer_than_two_fixes_have_no_together(names: str) -> None:
    table = Table(costs={"x": 50, "y": 50})
    asked = simulations(table)
    found = simulate_fixes([restore(name) for name in names], table.amounts, asked)
    assert all_together(found, asked) is None
    assert all_together(found * 2, None) is None


def test_together_is_unknown_where_the_combination_is_refused() -> None:
    table = Table(costs={"x": 50, "y": 50})
    found = fixes(table, restore("x"), restore("y"))
    refusing = Table(costs=table.costs, refused=frozenset({"y"}))
    assert all_together(found, simulations(refusing)) is None
