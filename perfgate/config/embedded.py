"""Text of another tool's language on its way to the shell or to an argument list.

Make, workflows, tox, just, Python and others put values into a command's text before anybody splits it. Such
a place is an `Expansion`; what stands around it is placed text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.fields import BLANKS, Part, split_parts
from perfgate.config.spans import Placed
from perfgate.config.words import Atom, Word, open_word

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expansion:
    """A value put into text; `place` is the reference as written, for example `$(ATC)`."""

    atoms: tuple[Atom, ...]
    place: Placed


TextPiece = Placed | Expansion


MAX_TEXT = 65_536  # characters of one value, GUARDRAILS section 9
MAX_ATOMS = 2_000  # parts of one value, and elements of one list
MAX_EXPANSIONS = 10_000  # references followed in one file


@dataclass(slots=True, eq=False)
class Budget:
    """How many references of a file may still be followed; behind its end values are not known."""

    left: int = MAX_EXPANSIONS

    def spend(self, amount: int = 1) -> bool:
        """Takes some of what is left; False when nothing is."""
        self.left -= amount
        return self.left > 0


def within_limits(atoms: tuple[Atom, ...], source: str) -> tuple[Atom, ...]:
    """The atoms of a value; of too many or too long ones the rest is one unknown atom."""
    size = 0
    for index, atom in enumerate(atoms):
        size += len(atom.text) if atom.text is not None else 0
        if index >= MAX_ATOMS or size > MAX_TEXT:
            return (*atoms[:index], Atom(text=None, source=source))
    return atoms


def unknown(source: str, place: Placed) -> Expansion:
    """An expansion whose value the file does not tell."""
    return Expansion(atoms=(Atom(text=None, source=source),), place=place)


def atoms_of(pieces: Iterable[TextPiece]) -> tuple[Atom, ...]:
    """The pieces as the text of one value."""
    atoms: list[Atom] = []
    for piece in pieces:
        if isinstance(piece, Expansion):
            atoms.extend(piece.atoms)
        else:
            atoms.append(Atom(text=piece))
    return tuple(atoms)


_SPECIAL = re.compile(r"[\"'\\$`;&|<>()#]")  # a value with these is read by the shell as if it stood there


def shell_atoms(pieces: Iterable[TextPiece]) -> tuple[Atom, ...]:
    """The pieces as text for the shell.

    A known value that holds quotes or other signs of the shell is read as if it stood there. Any other value
    is read as an expansion, which the shell splits or not by the quotes around it, like the text itself.
    """
    atoms: list[Atom] = []
    for piece in pieces:
        if isinstance(piece, Placed):
            atoms.append(Atom(text=piece))
        else:
            atoms += [
                atom if _is_special(atom) else replace(atom, written=piece.place) for atom in piece.atoms
            ]
    return tuple(atoms)


def _is_special(atom: Atom) -> bool:
    if atom.text is None or atom.guard or atom.replaceable:
        return False
    return _SPECIAL.search(atom.text.text) is not None


class _Splitter:
    """Splits pieces at blanks outside of quotes, as `shlex.split` does."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self._parts: list[Part] = []
        self._piece: Placed | None = None  # the one that the word begins in
        self._start = 0
        self._quote = ""

    def take(self, piece: TextPiece) -> None:
        if isinstance(piece, Expansion):
            self._begin(piece.place, 0)
            self._parts += [Part(atom=atom, splits=not self._quote) for atom in piece.atoms]
            return
        position = 0
        while position < len(piece):
            position = self._step(piece, position)

    def end_word(self, piece: Placed | None = None, end: int = 0) -> None:
        """Ends the word before index `end` of the piece that is being read."""
        if self._piece is not None and self._parts:
            stop = end if piece is self._piece else len(self._piece)
            self.words += split_parts(self._parts, self._piece.cut(self._start, stop))
        self._parts, self._piece = [], None

    def _begin(self, piece: Placed, start: int) -> None:
        if self._piece is None:
            self._piece, self._start = piece, start

    def _step(self, text: Placed, position: int) -> int:
        sign = text.text[position]
        if not self._quote and sign in BLANKS:
            self.end_word(text, position)
            return position + 1
        if sign in {'"', "'"} and self._quote in {"", sign}:
            self._begin(text, position + 1)
            self._quote = "" if self._quote else sign
            self._add(text.cut(position, position))  # "" is a word
            return position + 1
        self._begin(text, position)
        if sign == "\\" and self._quote != "'" and self._is_escape(text.text, position):
            self._add(text.cut(position, position + 2).standing_for(text.text[position + 1]))
            return position + 2
        end = position + 1
        while (
            end < len(text)
            and text.text[end] not in "\\\"'"
            and (self._quote or text.text[end] not in BLANKS)
        ):
            end += 1
        self._add(text.cut(position, end))
        return end

    def _is_escape(self, text: str, position: int) -> bool:
        following = text[position + 1 : position + 2]
        return bool(following) and (not self._quote or following in {'"', "\\"})

    def _add(self, text: Placed) -> None:
        self._parts.append(Part(atom=Atom(text=text)))


def quoted_words(pieces: Iterable[TextPiece]) -> tuple[Word, ...]:
    """The arguments that text with quotes stands for when no shell reads it."""
    splitter = _Splitter()
    for piece in pieces:
        splitter.take(piece)
    splitter.end_word()
    return tuple(
        open_word(_source(word), word.place) if _is_all_unknown(word) else word for word in splitter.words
    )


def _is_all_unknown(word: Word) -> bool:
    return word.splits and not any(atom.text for atom in word.atoms)


def _source(word: Word) -> str:
    return word.atoms[0].source if word.atoms else ""
