"""`forbid`: a flag, or a value of it, must not be there on any path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails import wording
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.kinds.present import INCOMPLETE, absence, effective
from perfgate.guardrails.subject import canonical_flag
from perfgate.guardrails.value_answer import matched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.facts import Flag
    from perfgate.guardrails.rule import FlagTest, FlagTests
    from perfgate.guardrails.subject import Subject


def faults(body: FlagTests, subject: Subject) -> Iterator[Fault]:
    """Seen fails; not seen is unknown where more arguments may follow."""
    for test in body.tests:
        found = effective(subject, test.flag)
        seen = [fault for flag in found if (fault := _seen(flag, test, subject)) is not None]
        yield from seen
        is_settled = found and not subject.is_incomplete and not subject.is_default
        if not seen and not is_settled and (absence(subject) is Answer.UNKNOWN or subject.is_default):
            yield _unseen(test, subject)


def _seen(flag: Flag, test: FlagTest, subject: Subject) -> Fault | None:
    answer = matched(flag, test.tests, subject.dialect)
    if answer is Answer.FAIL:
        return None
    forbidden = wording.spelled(flag.name, test.tests)
    message = f"{wording.flag_text(flag)} is forbidden"
    if test.tests and forbidden != wording.flag_text(flag):
        message = f"{wording.flag_text(flag)}, forbidden is {forbidden}"
    if answer is Answer.UNKNOWN:
        message += f"; {wording.hiding(flag.value) or 'it cannot be compared'}"
    return Fault(
        answer=Answer.FAIL if answer is Answer.PASS else Answer.UNKNOWN,
        span=flag.span,
        message=message,
        flag=flag.name,
        found=wording.value_text(flag.value),
        expected=f"not {forbidden}",
    )


def _unseen(test: FlagTest, subject: Subject) -> Fault:
    name = canonical_flag(test.flag, subject.dialect, subject.program)
    why = INCOMPLETE if subject.is_incomplete else "more may follow that this file does not show"
    return Fault(
        answer=Answer.UNKNOWN,
        span=subject.name_span,
        message=f"forbidden {wording.spelled(name, test.tests)} not seen; {why}",
        flag=name,
        expected=f"not {wording.spelled(name, test.tests)}",
    )
