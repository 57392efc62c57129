"""Everything that a post-mortem is told, gathered from diagnosis, validation, git and guardrails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.validation import Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A line of the timeline: when it happened (None: nobody knows) and what, in inert Markdown."""

    name: str
    when: dt.datetime | None
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailProof:
    """A guardrail line that was run on a bad and on the present state.

    `culprit` names the bad state, `rejected` are the findings there, `accepted` says how many calls or files
    of the present state it holds for. `implied_by`: rules that said so already; then nothing is added.
    """

    line: str
    culprit: str
    rejected: tuple[str, ...]
    accepted: int
    implied_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """The facts of one incident; what is empty becomes a TODO of its owner.

    `barriers` say which guardrail or benchmark was missing. `reproduce` are command lines.
    """

    name: str
    diagnosis: Diagnosis
    events: tuple[Event, ...] = ()
    barriers: tuple[str, ...] = ()
    validation: Validation | None = None
    proof: GuardrailProof | None = None
    reproduce: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
