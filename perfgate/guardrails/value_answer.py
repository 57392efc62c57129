"""Tests on a flag's value as a file gives it: known, one of several, a replaceable default, unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config import programs
from perfgate.core.finding import Answer
from perfgate.guardrails.answer import every, some
from perfgate.guardrails.value_test import all_hold, all_settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.facts import Flag, Value
    from perfgate.guardrails.value_test import ValueTest

_TRUE_WHEN_BARE = frozenset({programs.GFLAGS, programs.LLVM, programs.FLAG_LIST})  # `--f` is `--f=true` there


def allowed(flag: Flag, tests: Sequence[ValueTest], dialect: str) -> Answer:
    """Whether every value the flag can have passes; a default that may be replaced passes for itself only."""
    if not tests:
        return Answer.PASS
    value = flag.value
    answer = every(_answers(value, tests, dialect))
    return Answer.UNKNOWN if value.replaceable and answer is Answer.PASS else answer


def matched(flag: Flag, tests: Sequence[ValueTest], dialect: str) -> Answer:
    """Whether some value the flag can have passes; a default that may be replaced could become one."""
    if not tests:
        return Answer.PASS
    value = flag.value
    answer = some(_answers(value, tests, dialect))
    return Answer.UNKNOWN if value.replaceable and answer is Answer.FAIL else answer


def known(flag: Flag, tests: Sequence[ValueTest], dialect: str) -> Answer:
    """Whether the value passes, for conditions: unknown when the possible values disagree."""
    answers = set(_answers(flag.value, tests, dialect)) if tests else {Answer.PASS}
    if len(answers) > 1 or (tests and flag.value.replaceable):
        return Answer.UNKNOWN
    return answers.pop()


def _answers(value: Value, tests: Sequence[ValueTest], dialect: str) -> list[Answer]:
    if value.candidates:
        return [all_hold(tests, text) for text in value.candidates]
    if value.pieces is None:
        return [all_hold(tests, "true" if dialect in _TRUE_WHEN_BARE else "")]
    if value.text is not None:
        return [all_hold(tests, value.text)]
    return [all_settle(tests, tuple(piece.text for piece in value.pieces))]
