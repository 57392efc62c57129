"""Guards: which outcomes of a file's decisions a text depends on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfgate.config.branches import (
    ALWAYS,
    Decision,
    branch_text,
    contradicts,
    covers_every_branch,
    parse_branch,
    simplified,
    worlds,
)

IF = Decision("3:1", 2)
CASE = Decision("9:1 chain", 3)
THEN, ELSE = frozenset({(IF, 0)}), frozenset({(IF, 1)})
ARMS = [frozenset({(CASE, arm)}) for arm in range(3)]
GUARDS = st.frozensets(
    st.one_of(st.tuples(st.just(IF), st.integers(0, 1)), st.tuples(st.just(CASE), st.integers(0, 2))),
    max_size=2,
)


def test_two_outcomes_of_one_decision_contradict() -> None:
    assert contradicts(THEN, ELSE)
    assert not contradicts(THEN, ARMS[0])
    assert not contradicts(THEN, ALWAYS)


def test_worlds_are_all_combinations_but_of_what_is_given() -> None:
    assert worlds([THEN, ARMS[0]]) is not None
    assert len(worlds([THEN, ARMS[0]]) or ()) == 6
    assert len(worlds([THEN, ARMS[0]], THEN) or ()) == 3
    assert worlds([]) == (ALWAYS,)
    assert worlds([frozenset({(Decision(str(index), 2), 0)}) for index in range(6)]) is None


def test_a_decision_that_makes_no_difference_is_left_out() -> None:
    assert simplified([THEN, ELSE]) == (ALWAYS,)
    assert simplified([THEN | ARMS[0], ELSE | ARMS[0]]) == (ARMS[0],)
    assert simplified([THEN, ARMS[0]]) == (THEN, ARMS[0])


def test_all_arms_cover_every_branch_and_some_do_not() -> None:
    assert covers_every_branch([branch_text((arm,)) for arm in ARMS])
    assert not covers_every_branch([branch_text((arm,)) for arm in ARMS[:2]])
    assert covers_every_branch([""])
    assert not covers_every_branch([])


@given(st.lists(GUARDS, min_size=1, max_size=3))
def test_branch_text_is_read_back(guards: list[frozenset[tuple[Decision, int]]]) -> None:
    expected = (ALWAYS,) if ALWAYS in guards else tuple(guards)
    assert parse_branch(branch_text(tuple(guards))) == expected
