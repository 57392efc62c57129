"""What a kind of rule finds wrong, before severity, waivers and fingerprints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails.answer import every

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.config.facts import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One place that breaks a rule (fail) or hides what it asks for (unknown).

    `flag` is the canonical name, `found` the value there ("" when it is missing), `expected` what to write.
    """

    answer: Answer
    span: Span
    message: str
    flag: str = ""
    found: str = ""
    expected: str = ""
    is_missing: bool = False

    @property
    def is_seen(self) -> bool:
        """The flag stands at the place."""
        return self.answer is Answer.FAIL and not self.is_missing


def answer_of(faults: Iterable[Fault]) -> Answer:
    """No fault passes; a failed one outweighs an unknown one."""
    return every(fault.answer for fault in faults)
