"""Findings: places that break a guardrail, or where it cannot be told, as values every report can carry."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Severity(StrEnum):
    """How much a finding matters; `rank` orders them, an error highest."""

    NOTE = "note"
    WARN = "warn"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return list(Severity).index(self)


class Answer(StrEnum):
    """What a rule says about a place: it holds, it is broken, or the file does not tell."""

    PASS = "pass"  # noqa: S105 - an answer, no password
    FAIL = "fail"
    UNKNOWN = "unknown"


class Place(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A place in a file: 1-based lines and columns in characters, the end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Replace the text at `place` by `text`; an empty place inserts, an empty text deletes."""

    place: Place
    text: str


class Waived(msgspec.Struct, frozen=True, kw_only=True):
    """The waiver that covers a finding; `expires` is the last valid day, ISO 8601."""

    owner: str
    reason: str
    expires: str
    ticket: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A place that breaks a rule (`answer` fail), hides what the rule asks for (unknown), or a note (pass).

    `rule` is the rule's id, or the id of the check that made a remark. `span` is the place to look at,
    `related` the rule's own line. `message` says what is wrong in one line, `detail` is the rule author's
    text, `fix` what to write instead, `edits` the same as exact replacements where that is certain.
    `fingerprint` holds no line numbers, so it survives moved code; empty for findings that cannot be
    waived.
    """

    rule: str
    severity: Severity
    answer: Answer
    message: str
    span: Place
    related: Place | None = None
    program: str = ""
    flag: str = ""
    found: str = ""
    expected: str = ""
    detail: str = ""
    link: str = ""
    fix: str = ""
    edits: tuple[Edit, ...] = ()
    fingerprint: str = ""
    waived_by: Waived | None = None

    @property
    def is_unresolved(self) -> bool:
        """The file does not tell; never a pass."""
        return self.answer is Answer.UNKNOWN
