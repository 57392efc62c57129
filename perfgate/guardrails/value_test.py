"""Tests on one value: what a rule allows, decided on a known text or on known pieces."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from perfgate.core.finding import Answer
from perfgate.guardrails.answer import decided, every, some
from perfgate.guardrails.globs import text_matches
from perfgate.guardrails.quantity import NumberType, Quantity, read_as

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


class Sign(StrEnum):
    """A comparison with a number."""

    AT_MOST = "<="
    AT_LEAST = ">="
    BELOW = "<"
    ABOVE = ">"

    @property
    def is_upper(self) -> bool:
        """The bound limits from above."""
        return self in {Sign.AT_MOST, Sign.BELOW}

    @property
    def is_strict(self) -> bool:
        """The limit itself is outside."""
        return self in {Sign.BELOW, Sign.ABOVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """The text is one of these."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf:
    """The text is none of these."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """The text fits one of these globs."""

    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Each:
    """Every item of a separated list is one of these."""

    values: tuple[str, ...]
    separator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The text is a number on the right side of a limit; `is_typed`: another text fails."""

    sign: Sign
    limit: Quantity
    type: NumberType
    is_typed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfType:
    """The text is a number of this type."""

    type: NumberType


ValueTest = OneOf | NoneOf | Fits | Each | Bound | OfType
Pieces = tuple[str | None, ...]  # None: any text


def holds(test: ValueTest, text: str) -> Answer:
    """The test on a known text."""
    match test:
        case OneOf():
            return decided(holds=text in test.values)
        case NoneOf():
            return decided(holds=text not in test.values)
        case Fits():
            return decided(holds=any(text_matches(pattern, text) for pattern in test.patterns))
        case Each():
            return decided(holds=all(item in test.values for item in text.split(test.separator)))
        case OfType():
            return decided(holds=read_as(text, test.type) is not None)
        case Bound():
            return _inside(test, text)
        case _:
            assert_never(test)


def _inside(test: Bound, text: str) -> Answer:
    number = read_as(text, test.type)
    if number is None:
        return Answer.FAIL if test.is_typed else Answer.UNKNOWN
    return decided(holds=is_within(test.sign, number.value, test.limit.value))


def is_within(sign: Sign, value: Fraction | float, limit: Fraction | float) -> bool:
    """Whether a number is on the right side of its limit."""
    if sign is Sign.AT_MOST:
        return value <= limit
    if sign is Sign.AT_LEAST:
        return value >= limit
    return value < limit if sign is Sign.BELOW else value > limit


def settles(test: ValueTest, pieces: Pieces) -> Answer:
    """The test on a text with unknown pieces: pass or fail only when every or no such text can pass."""
    match test:
        case OneOf():
            possible = any(could_be(pieces, value) for value in test.values)
            return Answer.UNKNOWN if possible else Answer.FAIL
        case NoneOf():
            possible = any(could_be(pieces, value) for value in test.values)
            return Answer.UNKNOWN if possible else Answer.PASS
        case Fits():
            return some(_settles_glob(pattern, pieces) for pattern in test.patterns)
        case Each():
            return _settles_list(test, pieces)
        case Bound() | OfType():
            return Answer.UNKNOWN
        case _:
            assert_never(test)


def all_hold(tests: Sequence[ValueTest], text: str) -> Answer:
    """All tests on a known text."""
    return every(holds(test, text) for test in tests)


def all_settle(tests: Sequence[ValueTest], pieces: Pieces) -> Answer:
    """All tests on a text with unknown pieces."""
    return every(settles(test, pieces) for test in tests)


def could_be(pieces: Pieces, text: str) -> bool:
    """Whether the unknown pieces can be filled so that the whole is this text."""
    pattern = tuple(sign for piece in pieces for sign in ((None,) if piece is None else piece))
    reachable = {0}
    for sign in text:
        reachable = _step(pattern, reachable, sign)
        if not reachable:
            return False
    return len(pattern) in _closure(pattern, reachable)


def _closure(pattern: tuple[str | None, ...], states: set[int]) -> set[int]:
    closed = set(states)
    for state in states:
        while state < len(pattern) and pattern[state] is None:  # an unknown piece may be empty
            state += 1  # noqa: PLW2901 - walks on from the state
            closed.add(state)
    return closed


def _step(pattern: tuple[str | None, ...], states: set[int], sign: str) -> set[int]:
    following = set()
    for state in _closure(pattern, states):
        if state < len(pattern) and pattern[state] is None:
            following.add(state)
        elif state < len(pattern) and pattern[state] == sign:
            following.add(state + 1)
    return following


_ANYTHING = "\0"  # stands for an unknown piece; no file text can hold it in a value


def _settles_glob(pattern: str, pieces: Pieces) -> Answer:
    known = "".join(_ANYTHING if piece is None else piece for piece in pieces)
    if "?" not in pattern and text_matches(pattern, known):
        return Answer.PASS
    return Answer.UNKNOWN if _globs_meet(pattern, known.replace("*", "\1")) else Answer.FAIL


def _globs_meet(pattern: str, known: str) -> bool:
    """Whether some text fits both `pattern` (`*`, `?`) and `known` (`_ANYTHING` for any text)."""
    row = {0}
    for at in range(len(known) + 1):
        row = _over_stars(pattern, row)
        if at == len(known):
            return len(pattern) in row
        sign = known[at]
        if sign == _ANYTHING:
            row = set(range(min(row), len(pattern) + 1)) if row else row
        else:
            moved = {
                i if pattern[i] == "*" else i + 1
                for i in row
                if i < len(pattern) and pattern[i] in ("*", "?", sign)
            }
            row = moved
        if not row:
            return False
    return False


def _over_stars(pattern: str, row: set[int]) -> set[int]:
    closed = set(row)
    for at in row:
        while at < len(pattern) and pattern[at] == "*":
            at += 1  # noqa: PLW2901 - walks on from the position
            closed.add(at)
    return closed


def _settles_list(test: Each, pieces: Pieces) -> Answer:
    items: list[list[str | None]] = [[]]
    for piece in pieces:
        if piece is None:
            items[-1].append(None)
            continue
        first, *rest = piece.split(test.separator)
        items[-1].append(first)
        items.extend([item] for item in rest)
    possible = all(any(could_be(tuple(item), value) for value in test.values) for item in items if item)
    return Answer.UNKNOWN if possible else Answer.FAIL
