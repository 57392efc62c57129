"""A file or a part of one that cannot be read on: the note, and that no rule may answer "pass" for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.facts import Note
from perfgate.config.found import Found

if TYPE_CHECKING:
    from perfgate.config.facts import Span


def broken_at(span: Span, reason: str) -> Found:
    """Reading stopped at this place."""
    note = Note(code="syntax-error", span=span, text=f"reading stopped here: {reason}")
    return Found(notes=(note,), incomplete=True)
