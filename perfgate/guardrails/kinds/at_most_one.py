"""`at_most_one`: flags of which only one may be there."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails import wording
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.kinds.present import INCOMPLETE, absence, effective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import FlagGroup
    from perfgate.guardrails.subject import Subject


def faults(body: FlagGroup, subject: Subject) -> Iterator[Fault]:
    """Each pair that is there together fails; one more that may follow is unknown."""
    found = [flags[-1] for name in body.flags if (flags := effective(subject, name))]
    for first, second in combinations(found, 2):
        other = f"{wording.flag_text(first)}, line {first.span.line}"
        yield Fault(
            answer=Answer.FAIL,
            span=second.span,
            message=f"{wording.flag_text(second)} together with {other}",
            flag=second.name,
            found=wording.value_text(second.value),
            expected=f"at most one of {', '.join(body.flags)}",
        )
    if len(found) < 2 and absence(subject) is Answer.UNKNOWN:  # noqa: PLR2004 - a pair
        why = INCOMPLETE if subject.is_incomplete else "more may follow that this file does not show"
        yield Fault(
            answer=Answer.UNKNOWN,
            span=subject.name_span,
            message=f"at most one of {', '.join(body.flags)}: {len(found)} seen; {why}",
            flag=body.flags[0],
            expected=f"at most one of {', '.join(body.flags)}",
        )
