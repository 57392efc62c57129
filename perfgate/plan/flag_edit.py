"""The exact replacement that gives a flag of a compile command its value, checked by reading it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.read import read
from perfgate.guardrails.fix import decoded, verify_change
from perfgate.guardrails.kinds.present import effective
from perfgate.guardrails.patch import NotCertainError, SourceText, flag_change
from perfgate.guardrails.subject import subject_of
from perfgate.plan.written import replaced

if TYPE_CHECKING:
    from perfgate.config.facts import Command, FileFacts
    from perfgate.plan.wanted import Wanted
    from perfgate.plan.written import Written


def command_at(facts: FileFacts, place: str, name: str) -> Command | None:
    """The command whose flag of this name stands at `file:line:column`."""
    for command in facts.commands:
        if any(str(flag.span) == place and flag.name == name for flag in command.flags):
            return command
    return None


def flag_edit(data: bytes, facts: FileFacts, command: Command, wanted: Wanted) -> Written | None:
    """The replacement, None when the flag has its value already.

    Raises:
        NotCertainError: the file no longer says what the diagnosis saw, or the edit is not certain.
    """
    subject = subject_of(command, facts)
    found = effective(subject, wanted.name)
    present = [(flag.value.text or "") if not flag.value.has_unknown else None for flag in found]
    if present == ([] if wanted.value is None else [wanted.value]):
        return None
    if wanted.is_checked and present != ([] if wanted.now is None else [wanted.now]):
        shown = "absent" if not present else f"{present[0]!r}"
        raise NotCertainError(f"{wanted.name} is {shown} in {facts.path}, the diagnosis saw {wanted.now!r}")
    change = flag_change(wanted.name, wanted.value, subject, SourceText(decoded(data)[0]))
    written = replaced(data, change.start, change.end, change.text)
    verify_change(facts, read(facts.path, written.data), subject, change)
    return written
