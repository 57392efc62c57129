"""`values`: where a flag is there, its value is one of those allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails import wording
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.kinds.present import INCOMPLETE, absence, effective, wrong_value
from perfgate.guardrails.subject import canonical_flag
from perfgate.guardrails.value_answer import allowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import FlagTest, FlagTests
    from perfgate.guardrails.subject import Subject


def faults(body: FlagTests, subject: Subject) -> Iterator[Fault]:
    """Absent passes, or is unknown where more arguments may follow."""
    for test in body.tests:
        yield from optional(test, subject)


def optional(test: FlagTest, subject: Subject) -> Iterator[Fault]:
    """The faults of one flag that need not be there."""
    found = effective(subject, test.flag)
    wrong = []
    for flag in found:
        answer = allowed(flag, test.tests, subject.dialect)
        if subject.is_default and answer is Answer.PASS:
            answer = Answer.UNKNOWN
        if answer is not Answer.PASS:
            wrong.append(wrong_value(flag, test, answer))
    yield from wrong
    is_hidden = subject.is_incomplete or (
        not found and (absence(subject) is Answer.UNKNOWN or subject.is_default)
    )
    if is_hidden and not wrong:
        yield _unseen(test, subject)


def _unseen(test: FlagTest, subject: Subject) -> Fault:
    name = canonical_flag(test.flag, subject.dialect, subject.program)
    why = INCOMPLETE if subject.is_incomplete else "more may follow that this file does not show"
    return Fault(
        answer=Answer.UNKNOWN,
        span=subject.name_span,
        message=f"{name} not seen, must be {wording.wanted(test.tests)}; {why}",
        flag=name,
        expected=wording.wanted(test.tests),
    )
