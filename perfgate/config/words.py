"""Words of a command as far as the file tells them: atoms of known or unknown text, each with its guard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Guard, branch_text, contradicts, worlds
from perfgate.config.facts import Presence

if TYPE_CHECKING:
    from perfgate.config.spans import Placed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atom:
    """A part of a text: known, or unknown (`text is None`) with the name that hides it as `source`.

    It is there only where `guard` holds. `replaceable`: a default that the environment can replace. `written`
    is the reference, for example `$(ATC)`, by which another language puts the atom into shell text; the shell
    reads such an atom as an expansion.
    """

    text: Placed | None
    source: str = ""
    guard: Guard = ALWAYS
    replaceable: bool = False
    written: Placed | None = None

    def under(self, guard: Guard) -> Atom:
        """The atom where this guard holds too."""
        guard = self.guard | guard
        return Atom(text=self.text, source=self.source, guard=guard, replaceable=self.replaceable)

    def only(self, guard: Guard) -> Atom:
        """The atom under exactly this guard."""
        return Atom(text=self.text, source=self.source, guard=guard, replaceable=self.replaceable)

    def part(self, first: int, last: int) -> Atom:
        """The atom with some of its known text."""
        text = None if self.text is None else self.text.cut(first, last)
        return Atom(text=text, source=self.source, guard=self.guard, replaceable=self.replaceable)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Word:
    """One argument: its atoms one after the other.

    `place` is the word as written where the command stands, without opening quotes; a program word is placed
    there. `from_list`: the word came out of an array or a string of several words, and a program word is
    placed where its text is written. The word is there where one of `guards` holds. `is_open`: it stands for
    any number of arguments that the file does not show. `splits`: one unquoted text that a run may split or
    replace; it is the value of the flag before it, or opens the command when it stands alone.
    """

    atoms: tuple[Atom, ...]
    place: Placed
    guards: tuple[Guard, ...] = (ALWAYS,)
    is_open: bool = False
    splits: bool = False
    from_list: bool = False

    @property
    def text(self) -> str | None:
        """The one known text of the word, else None."""
        if self.is_open:
            return None
        texts = []
        for atom in self.atoms:
            if atom.text is None or atom.guard:
                return None
            texts.append(atom.text.text)
        return "".join(texts)

    @property
    def first_text(self) -> Placed | None:
        """The known text that the word begins with, if it does."""
        for atom in self.atoms:
            if atom.text is None:
                return None
            if atom.text.text:
                return atom.text
        return None

    @property
    def presence(self) -> Presence:
        """Whether the word is there on every path."""
        return Presence.ALWAYS if ALWAYS in self.guards else Presence.SOMETIMES

    @property
    def branch(self) -> str:
        """The branch text of a word that is not always there."""
        return branch_text(self.guards)

    def placed(self) -> Placed:
        """Where the word is reported: its first known text, else where it is written."""
        return self.first_text or self.place

    def ways(self) -> tuple[Word, ...] | None:
        """One word per combination of outcomes its atoms depend on, without guarded atoms; None: too many."""
        if not any(atom.guard for atom in self.atoms):
            return (self,)
        given = self.guards[0] if len(self.guards) == 1 else ALWAYS
        cases = worlds((atom.guard for atom in self.atoms), given)
        if cases is None:
            return None
        ways = []
        for case in cases:
            guards = tuple(guard | case for guard in self.guards if not contradicts(guard, case))
            atoms = tuple(atom.only(ALWAYS) for atom in self.atoms if atom.guard <= case | given)
            if guards:
                ways.append(replace(self, atoms=atoms, guards=guards))
        return tuple(ways)


def known_word(text: Placed) -> Word:
    """A word whose text stands in the file as it is."""
    return Word(atoms=(Atom(text=text),), place=text)


def open_word(source: str, place: Placed) -> Word:
    """Any number of arguments that the file does not show: `"$@"`, `*args`, `{posargs}`."""
    return Word(atoms=(Atom(text=None, source=source),), place=place, is_open=True)
