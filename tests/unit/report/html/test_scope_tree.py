"""Scopes of a model as a tree, and what is seen of it."""

from __future__ import annotations

import pytest

from perfgate.report.html.material import pair_operators
from perfgate.report.html.scope_tree import DEEPEST, WIDEST, Part, ancestors, scope_tree, visible_parts
from tests.html_material import HOSTILE, operator


def tree(*names: str) -> tuple[Part, ...]:
    operators = pair_operators(None, [operator(number, name, 1) for number, name in enumerate(names)])
    return scope_tree(operators, "toy")


def test_scopes_hold_operators_in_the_order_of_the_model() -> None:
    parts = tree("net.a.conv", "net.b.conv", "net.a.relu", "head")
    assert [(part.path, part.operators) for part in parts] == [
        ("toy", (0, 1, 2, 3)),
        ("net", (0, 1, 2)),
        ("head", (3,)),
        ("net.a", (0, 2)),
        ("net.b.conv", (1,)),  # a scope with one member is that member
        ("net.a.conv", (0,)),
        ("net.a.relu", (2,)),
    ]
    assert [parts[place].name for place in ancestors(parts, 6)] == ["toy", "net", "a"]


def test_a_scope_around_everything_is_the_model() -> None:
    parts = tree("net.a", "net.b")
    assert [(part.name, part.path) for part in parts] == [("toy", "net"), ("a", "net.a"), ("b", "net.b")]


def test_open_scopes_show_what_they_hold() -> None:
    parts = tree("net.a.conv", "net.a.relu", "net.b.conv", "net.b.relu", "head")
    assert [parts[place].path for place in visible_parts(parts, [])] == ["toy"]
    assert [parts[place].path for place in visible_parts(parts, [0])] == ["net", "head"]
    # an open scope inside a closed one is not seen
    scope_b = next(place for place, part in enumerate(parts) if part.path == "net.b")
    assert [parts[place].path for place in visible_parts(parts, [0, scope_b])] == ["net", "head"]
    shown = [parts[place].path for place in visible_parts(parts, [0, 1, scope_b])]
    assert shown == ["net.a", "net.b.conv", "net.b.relu", "head"]


def test_a_model_without_scopes_gets_runs() -> None:
    parts = tree(*(f"n{number}" for number in range(400)))
    # sqrt(400) = 20 runs of 20
    assert len(parts[0].children) == 20
    assert [part.name for part in parts[1:3]] == ["#0 to #19", "#20 to #39"]
    assert len(tree(*(f"n{number}" for number in range(WIDEST)))[0].children) == WIDEST


def test_equal_names_are_two_operators() -> None:
    parts = tree("a", "a")
    assert [part.operators for part in parts[1:]] == [(0,), (1,)]


def test_what_is_only_before_is_not_in_the_tree() -> None:
    operators = pair_operators([operator(0, "a", 1), operator(1, "b", 1)], [operator(0, "a", 1)])
    assert [part.path for part in scope_tree(operators, "toy")] == ["toy", "a"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_keeps_the_tree_flat(name: str) -> None:
    parts = tree(name, "other")
    assert max(len(ancestors(parts, place)) for place in range(len(parts))) <= DEEPEST + 1
    assert sorted(parts[0].operators) == [0, 1]


def test_no_operators_make_an_empty_model() -> None:
    parts = scope_tree((), "toy")
    assert [part.name for part in parts] == ["toy"]
