"""`all_or_none`: flags that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.kinds.present import INCOMPLETE, absence, effective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import FlagGroup
    from perfgate.guardrails.subject import Subject


def faults(body: FlagGroup, subject: Subject) -> Iterator[Fault]:
    """Some but not all there fails; not all seen is unknown where more arguments may follow."""
    found = [flags[-1] for name in body.flags if (flags := effective(subject, name))]
    lacking = [name for name in body.flags if not effective(subject, name)]
    is_hidden = absence(subject) is Answer.UNKNOWN
    if not lacking or (not found and not is_hidden):
        return
    why = INCOMPLETE if subject.is_incomplete else "more may follow that this file does not show"
    seen = found[0].name if found else "none of them"
    yield Fault(
        answer=Answer.UNKNOWN if is_hidden else Answer.FAIL,
        span=found[0].span if found else subject.name_span,
        message=f"{seen} without {', '.join(lacking)}" + (f"; {why}" if is_hidden else ""),
        flag=lacking[0],
        expected=f"all or none of {', '.join(body.flags)}",
    )
