"""The position in a shell text, its limits, and what stands between words: blanks and operators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sized

    from perfgate.config.spans import Placed

# Words of a command, parts of a word, commands of a chain; beyond that the text is no script.
MAX_ITEMS = 8192
MAX_COMMANDS = 10_000  # of one text
MAX_DEPTH = 48  # constructs inside constructs; each takes up to twelve Python frames

_BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_BLANK_SIGNS = frozenset(" \t\\")
_OPERATOR_SIGNS = frozenset("&|;()\n")
_OPERATOR = re.compile(r"&&|\|\||;;&|;&|;;|\|&|[&|;()\n]")
_KEYWORD = re.compile(r"(?:[a-z]+|[{}!]|\[\[|\]\])(?=[ \t\n;&|<>()]|\\\n|\Z)")


class ShellSyntaxError(Exception):
    """The text is no shell script from this offset on, or is nested too deep."""

    def __init__(self, reason: str, offset: int) -> None:
        self.reason = reason
        self.offset = offset
        super().__init__(reason)


class Cursor:
    """Where reading stands in one text."""

    def __init__(self, placed: Placed) -> None:
        self.placed = placed
        self.text = placed.text
        self.size = len(placed.text)
        self.pos = 0
        self.depth = 0
        self.commands = 0

    def fail(self, reason: str) -> ShellSyntaxError:
        """The error that ends reading here."""
        return ShellSyntaxError(reason, self.pos)

    def limit(self, items: Sized) -> None:
        """Stop at a command, word or chain that no person writes.

        Raises:
            ShellSyntaxError: over MAX_ITEMS.
        """
        if len(items) > MAX_ITEMS:
            raise self.fail(f"more than {MAX_ITEMS} words, parts or commands in one")

    def at_end(self) -> bool:
        """Nothing is left."""
        return self.pos >= self.size

    def deeper(self) -> None:
        """Enter one more construct.

        Raises:
            ShellSyntaxError: nested deeper than MAX_DEPTH.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH}")

    def skip_blanks(self) -> None:
        """Pass blanks, joined lines and a comment."""
        if self.text[self.pos : self.pos + 1] in _BLANK_SIGNS:
            found = _BLANKS.match(self.text, self.pos)
            if found:
                self.pos = found.end()
        if self.text.startswith("#", self.pos):
            end = self.text.find("\n", self.pos)
            self.pos = self.size if end < 0 else end

    def operator(self) -> str:
        """The control operator that stands here, without passing it; empty if there is none."""
        if self.text[self.pos : self.pos + 1] not in _OPERATOR_SIGNS:
            return ""
        found = _OPERATOR.match(self.text, self.pos)
        return found.group() if found else ""

    def keyword(self) -> str:
        """The word that stands here if it has the form of a reserved word, without passing it."""
        found = _KEYWORD.match(self.text, self.pos)
        return found.group() if found else ""

    def accept(self, text: str) -> bool:
        """Pass the text if it stands here."""
        if self.text.startswith(text, self.pos):
            self.pos += len(text)
            return True
        return False

    def cut(self, start: int, end: int | None = None) -> Placed:
        """The placed text from `start` to `end`, or to here."""
        return self.placed.cut(start, self.pos if end is None else end)
