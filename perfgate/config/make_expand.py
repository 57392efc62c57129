"""Expansion of Make text: variables, automatic variables and functions, as far as the file tells them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import contradicts
from perfgate.config.embedded import Budget, Expansion, atoms_of, unknown, within_limits
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.config.branches import Guard
    from perfgate.config.embedded import TextPiece
    from perfgate.config.make_variables import Chunk, MakeVariable, Variables
    from perfgate.config.spans import Placed

    MakeFunction = Callable[["Expander", Placed, Placed], tuple[Atom, ...]]

MAX_DEPTH = 24  # variables inside variables
MAX_REFERENCE = 65_536  # characters between the brackets of one reference
_CLOSERS = {"(": ")", "{": "}"}
_FUNCTION = re.compile(r"([a-z-]+)[ \t]+")
_SUBSTITUTION = re.compile(r"([^:]+):([^=]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expander:
    """Expands text with one state of the variables; `arguments` are `$(1)` and on, `given` holds around."""

    variables: Variables
    functions: Mapping[str, MakeFunction]
    given: Guard = frozenset()
    arguments: dict[str, tuple[Atom, ...]] = field(default_factory=dict)
    depth: int = 0
    budget: Budget = field(default_factory=Budget)

    def pieces(self, text: Placed) -> list[TextPiece]:
        """The text with every reference as an expansion."""
        pieces: list[TextPiece] = []
        position = 0
        while (start := text.text.find("$", position)) >= 0 and start + 1 < len(text):
            pieces.append(text.cut(position, start))
            sign = text.text[start + 1]
            end = _closing(text.text, start + 1) if sign in _CLOSERS else start + 2
            place = text.cut(start, end)
            if sign == "$":
                pieces.append(place.standing_for("$"))
            else:
                inner = text.cut(start + 2, end - 1) if sign in _CLOSERS else text.cut(start + 1, end)
                pieces.append(Expansion(atoms=self._reference(inner, place), place=place))
            position = end
        pieces.append(text.cut(position, len(text)))
        return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)]

    def atoms(self, text: Placed) -> tuple[Atom, ...]:
        """The expanded text as one value."""
        return atoms_of(self.pieces(text))

    def _reference(self, inner: Placed, place: Placed) -> tuple[Atom, ...]:
        if self.depth > MAX_DEPTH or not self.budget.spend():
            return unknown("a variable inside itself, or too many of them", place).atoms
        function = _FUNCTION.match(inner.text)
        if function is not None:
            called = self.functions.get(function[1])
            if called is not None:
                rest = inner.cut(function.end(), len(inner))
                return called(self, rest, place)
        name = known_text(self.atoms(inner)) if "$" in inner.text else inner.text.strip()
        if name is None:
            return unknown(inner.text, place).atoms
        substitution = _SUBSTITUTION.fullmatch(name)
        if substitution is not None:
            whole = known_text(self.named(substitution[1], place))
            if whole is None:
                return unknown(substitution[1], place).atoms
            changed = " ".join(substituted(word, substitution[2], substitution[3]) for word in whole.split())
            return (Atom(text=place.standing_for(changed)),)
        return self.named(name, place)

    def named(self, name: str, place: Placed) -> tuple[Atom, ...]:
        """The value of a variable."""
        if name in self.arguments:
            return self.arguments[name]
        variable = self.variables.known.get(name)
        if variable is None:
            return unknown(name, place).atoms
        return self._value(variable, name, place)

    def _value(self, variable: MakeVariable, name: str, place: Placed) -> tuple[Atom, ...]:
        inner = replace(self, depth=self.depth + 1)
        atoms: list[Atom] = []
        blank = Atom(text=place.cut(0, 0).standing_for(" "))
        for chunk in variable.chunks:
            if contradicts(chunk.guard, self.given):
                continue
            parts = inner.chunk_atoms(chunk)
            guard = chunk.guard - self.given
            if chunk.is_added:
                parts = (blank, *parts)
            for atom in parts:
                if contradicts(atom.guard, guard):
                    continue
                more = replace(atom, guard=atom.guard | guard)
                is_default = chunk.is_default and atom.text is not None and atom is not blank
                atoms.append(replace(more, replaceable=True, source=name) if is_default else more)
        self.budget.spend(len(atoms))
        return within_limits(tuple(atoms), name)

    def chunk_atoms(self, chunk: Chunk) -> tuple[Atom, ...]:
        """The text of one chunk of a variable."""
        return atoms_of(chunk.pieces) if chunk.raw is None else self.atoms(chunk.raw)


def _closing(text: str, start: int) -> int:
    """The index behind the bracket that closes the one at `start`."""
    opening = text[start]
    closing = _CLOSERS[opening]
    depth = 0
    for match in re.compile(f"[{opening}{closing}]").finditer(text, start, start + MAX_REFERENCE):
        depth += 1 if match[0] == opening else -1
        if not depth:
            return match.end()
    return len(text)


def known_text(atoms: tuple[Atom, ...]) -> str | None:
    """The one known text of the atoms, else None."""
    texts = [atom.text.text for atom in atoms if atom.text is not None and not atom.guard]
    return "".join(texts) if len(texts) == len(atoms) else None


def substituted(word: str, old: str, new: str) -> str:
    """`$(VAR:old=new)`: `old` is an ending, or a pattern with `%`."""
    if "%" not in old:
        return word.removesuffix(old) + new if word.endswith(old) else word
    start, _, end = old.partition("%")
    if not (word.startswith(start) and word.endswith(end) and len(word) >= len(start) + len(end)):
        return word
    stem = word[len(start) : len(word) - len(end)]
    return new.replace("%", stem, 1)
