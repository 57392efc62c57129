"""Scripts in languages without a reader: said, never guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.facts import Note
from perfgate.config.found import Found

if TYPE_CHECKING:
    from perfgate.config.spans import Source


def read_unsupported_file(source: Source) -> Found:
    """One note: the file holds a watched name, and nothing in it is judged."""
    text = "the file names a watched program or variable, but scripts of this kind are not read"
    return Found(notes=(Note(code="unsupported-file", span=source.span(0, 0), text=text),))
