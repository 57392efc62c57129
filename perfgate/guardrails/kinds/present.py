"""What the kinds share: which occurrences of a flag count, and the words for a missing or wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails import wording
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.subject import canonical_flag

if TYPE_CHECKING:
    from perfgate.config.facts import Flag
    from perfgate.guardrails.rule import FlagTest
    from perfgate.guardrails.subject import Subject

INCOMPLETE = "the file could not be read to its end"


def effective(subject: Subject, name: str) -> tuple[Flag, ...]:
    """The occurrences of a flag that count on this path: those that no later one overrides."""
    return tuple(flag for flag in subject.occurrences(name) if not flag.overridden)


def absence(subject: Subject) -> Answer:
    """Whether a flag that is not seen is absent (pass), or may still follow (unknown)."""
    return Answer.UNKNOWN if subject.is_open or subject.is_incomplete else Answer.PASS


def missing(test: FlagTest, subject: Subject) -> Fault:
    """A flag that must be there and is not seen."""
    name = canonical_flag(test.flag, subject.dialect, subject.program)
    spelled = wording.spelled(name, test.tests)
    expected = wording.wanted(test.tests)
    if absence(subject) is Answer.UNKNOWN:
        why = INCOMPLETE if subject.is_incomplete else "more may follow that this file does not show"
        return Fault(
            answer=Answer.UNKNOWN,
            span=subject.name_span,
            message=f"{spelled} not seen; {why}",
            flag=name,
            expected=expected,
            is_missing=True,
        )
    return Fault(
        answer=Answer.FAIL,
        span=subject.name_span,
        message=f"missing {spelled}",
        flag=name,
        expected=expected,
        is_missing=True,
    )


def wrong_value(flag: Flag, test: FlagTest, answer: Answer, *, incomplete: bool = False) -> Fault:
    """A flag whose value is not allowed, or not known."""
    expected = wording.wanted(test.tests)
    found = wording.value_text(flag.value)
    message = f"{wording.flag_text(flag)}, must be {expected}" if test.tests else wording.flag_text(flag)
    if answer is Answer.UNKNOWN:
        reason = INCOMPLETE if incomplete else wording.hiding(flag.value) or "it cannot be compared"
        message = f"{message}; {reason}"
    else:
        message += wording.truth_hint(found, test.tests)
    return Fault(
        answer=answer, span=flag.span, message=message, flag=flag.name, found=found, expected=expected
    )
