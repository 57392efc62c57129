"""Kleene's three-valued logic on answers: pass is true, fail is false, unknown is neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable


def every(answers: Iterable[Answer]) -> Answer:
    """Pass when all pass (also none at all), fail when one fails, else unknown."""
    result = Answer.PASS
    for answer in answers:
        if answer is Answer.FAIL:
            return Answer.FAIL
        if answer is Answer.UNKNOWN:
            result = Answer.UNKNOWN
    return result


def some(answers: Iterable[Answer]) -> Answer:
    """Pass when one passes, fail when all fail (also none at all), else unknown."""
    return negation(every(negation(answer) for answer in answers))


def negation(answer: Answer) -> Answer:
    """Pass and fail swapped; unknown stays unknown."""
    if answer is Answer.PASS:
        return Answer.FAIL
    return Answer.PASS if answer is Answer.FAIL else Answer.UNKNOWN


def given(condition: Answer, body: Answer) -> Answer:
    """The answer of a rule that applies only if `condition` holds: not applying passes."""
    return some((negation(condition), body))


def decided(*, holds: bool) -> Answer:
    """A known truth as an answer."""
    return Answer.PASS if holds else Answer.FAIL
