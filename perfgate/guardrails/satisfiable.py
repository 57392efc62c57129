"""Whether tests can hold together, and whether one set of tests is at least as strict as another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails.value_test import Bound, Each, Fits, NoneOf, OfType, OneOf, all_hold, holds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.guardrails.value_test import ValueTest


def intersection(tests: Sequence[ValueTest]) -> tuple[ValueTest, ...] | None:
    """All tests as few, or None when no value passes them together."""
    lists = [test for test in tests if isinstance(test, OneOf)]
    others = tuple(dict.fromkeys(test for test in tests if not isinstance(test, OneOf)))
    if lists:
        values = tuple(
            value
            for value in lists[0].values
            if all(value in item.values for item in lists) and all_hold(others, value) is not Answer.FAIL
        )
        return (OneOf(values=values), *others) if values else None
    return None if _bounds_exclude_all(others) else others


def _bounds_exclude_all(tests: Sequence[ValueTest]) -> bool:
    bounds = [test for test in tests if isinstance(test, Bound)]
    for high in (bound for bound in bounds if bound.sign.is_upper):
        for low in (bound for bound in bounds if not bound.sign.is_upper):
            is_touching = low.limit.value == high.limit.value and (low.sign.is_strict or high.sign.is_strict)
            if low.type is high.type and (low.limit.value > high.limit.value or is_touching):
                return True
    return False


def at_least_as_strict(new: Sequence[ValueTest], old: Sequence[ValueTest]) -> bool:
    """Every text that passes `new` surely passes `old`; false where that cannot be shown."""
    return all(_implied(new, test) for test in old)


def _implied(new: Sequence[ValueTest], old: ValueTest) -> bool:
    for test in new:
        if test == old or (
            isinstance(test, OneOf) and all(holds(old, value) is Answer.PASS for value in test.values)
        ):
            return True
        if _stricter(test, old):
            return True
    return False


def _stricter(new: ValueTest, old: ValueTest) -> bool:
    if isinstance(new, Bound) and isinstance(old, Bound):
        return _stricter_bound(new, old)
    if isinstance(new, Bound) and isinstance(old, OfType):
        return new.is_typed and new.type is old.type
    if isinstance(new, NoneOf) and isinstance(old, NoneOf):
        return set(old.values) <= set(new.values)
    if isinstance(new, Each) and isinstance(old, Each):
        return new.separator == old.separator and set(new.values) <= set(old.values)
    if isinstance(new, Fits) and isinstance(old, Fits):
        return set(new.patterns) <= set(old.patterns)
    return False


def _stricter_bound(new: Bound, old: Bound) -> bool:
    if (
        new.type is not old.type
        or new.sign.is_upper is not old.sign.is_upper
        or (old.is_typed and not new.is_typed)
    ):
        return False
    if new.limit.value == old.limit.value:
        return new.sign.is_strict or not old.sign.is_strict
    return (new.limit.value < old.limit.value) is new.sign.is_upper
