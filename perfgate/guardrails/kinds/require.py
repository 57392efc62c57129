"""`require`: a flag must be there, with an allowed value, on every path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails.kinds.present import effective, missing, wrong_value
from perfgate.guardrails.value_answer import allowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import FlagTest, FlagTests
    from perfgate.guardrails.subject import Subject


def faults(body: FlagTests, subject: Subject) -> Iterator[Fault]:
    """Absent fails, or is unknown where more may follow; in a file not read to its end all is unknown."""
    for test in body.tests:
        yield from required(test, subject)


def required(test: FlagTest, subject: Subject) -> Iterator[Fault]:
    """The faults of one flag that must be there."""
    found = effective(subject, test.flag)
    if not found:
        yield missing(test, subject)
        return
    for flag in found:
        answer = allowed(flag, test.tests, subject.dialect)
        if subject.is_incomplete or (subject.is_default and answer is Answer.PASS and test.tests):
            answer = Answer.UNKNOWN
        if answer is not Answer.PASS:
            yield wrong_value(flag, test, answer, incomplete=subject.is_incomplete)
