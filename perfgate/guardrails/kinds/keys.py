"""`keys`: keys of files and what they must be; required ones must be there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.guardrails.kinds.require import required
from perfgate.guardrails.kinds.values import optional

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import FlagTests
    from perfgate.guardrails.subject import Subject


def faults(body: FlagTests, subject: Subject) -> Iterator[Fault]:
    """A required key as `require`, another one as `values`."""
    for test in body.tests:
        yield from required(test, subject) if test.is_required else optional(test, subject)
