"""Which tests can hold together, and which are at least as strict as others; shown on every text tried."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.core.finding import Answer
from perfgate.guardrails.quantity import NumberType, read_quantity
from perfgate.guardrails.satisfiable import at_least_as_strict, intersection
from perfgate.guardrails.value_test import Bound, Each, Fits, NoneOf, OfType, OneOf, Sign, ValueTest, all_hold
from tests.guard_facts import only_rule

TEXTS = ("A", "B", "A,B", "1", "2", "3", "x")


def bound(sign: Sign, limit: int, *, is_typed: bool = False) -> Bound:
    quantity = read_quantity(str(limit))
    assert quantity is not None
    return Bound(sign=sign, limit=quantity, type=NumberType.FLOAT, is_typed=is_typed)


SOME = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True).map(tuple)
ATOMS: st.SearchStrategy[ValueTest] = st.one_of(
    SOME.map(lambda values: OneOf(values=values)),
    SOME.map(lambda values: NoneOf(values=values)),
    st.lists(st.sampled_from(("A*", "*", "?", "x")), min_size=1, max_size=2).map(
        lambda globs: Fits(patterns=tuple(globs))
    ),
    SOME.map(lambda values: Each(values=values, separator=",")),
    st.builds(bound, st.sampled_from(Sign), st.integers(1, 3), is_typed=st.booleans()),
    st.just(OfType(type=NumberType.FLOAT)),
)
GROUPS = st.lists(ATOMS, max_size=3).map(tuple)


@given(GROUPS, GROUPS)
def test_a_stricter_set_accepts_nothing_that_the_other_refuses(
    new: tuple[ValueTest, ...], old: tuple[ValueTest, ...]
) -> None:
    if at_least_as_strict(new, old):
        for text in TEXTS:
            assert all_hold(old, text) is Answer.PASS or all_hold(new, text) is not Answer.PASS


@given(GROUPS)
def test_an_intersection_accepts_what_all_tests_accept(tests: tuple[ValueTest, ...]) -> None:
    together = intersection(tests)
    accepted = {text for text in TEXTS if all_hold(tests, text) is Answer.PASS}
    if together is None:
        assert accepted == set()
    else:
        assert accepted == {text for text in TEXTS if all_hold(together, text) is Answer.PASS}


@given(GROUPS)
def test_a_set_is_as_strict_as_itself(tests: tuple[ValueTest, ...]) -> None:
    assert at_least_as_strict(tests, tests)


@pytest.mark.parametrize(
    ("low", "high", "is_possible"),
    [
        (bound(Sign.AT_LEAST, 2), bound(Sign.AT_MOST, 2), True),
        (bound(Sign.ABOVE, 2), bound(Sign.AT_MOST, 2), False),
        (bound(Sign.AT_LEAST, 3), bound(Sign.AT_MOST, 2), False),
    ],
)
def test_bounds_that_leave_nothing(low: Bound, high: Bound, is_possible: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert (intersection((low, high)) is not None) is is_possible


def test_bounds_on_two_lines_join() -> None:
    rule = only_rule('runtime: ["require pool>=1GB", "require pool<=4GB"]')
    assert len(rule.body.tests[0].tests) == 2  # type: ignore[union-attr]  # a require rule
