"""Expressions `${{ ... }}` of workflows: matrix values, environment, literals and the choice between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision
from perfgate.config.embedded import Expansion, TextPiece
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.config.spans import Placed

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_STRING = re.compile(r"'((?:[^']|'')*)'")
_NAME = re.compile(r"([A-Za-z_][\w-]*(?:\.[A-Za-z_*][\w-]*|\['[^']*'\])*)\s*$")
_LITERAL = re.compile(r"(?:true|false|-?\d+(?:\.\d+)?)\s*$")
_TOKEN = re.compile(r"'(?:[^']|'')*'|[()\[\]]|&&|\|\||[^'()\[\]&|]+|.", re.DOTALL)
_OPENS = frozenset("([")

Atoms = tuple[Atom, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What expressions can look up: `matrix.soc` and `env.FMT` under their dotted names."""

    values: Mapping[str, Atoms] = field(default_factory=dict)


def expression_pieces(text: Placed, context: Context) -> list[TextPiece]:
    """Text with its expressions as expansions."""
    pieces: list[TextPiece] = []
    position = 0
    for match in _EXPRESSION.finditer(text.text):
        pieces.append(text.cut(position, match.start()))
        inner = text.cut(match.start(1), match.end(1))
        place = text.cut(match.start(), match.end())
        pieces.append(Expansion(atoms=_value(inner.stripped(), context), place=place))
        position = match.end()
    pieces.append(text.cut(position, len(text)))
    return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)] or pieces[:1]


def _value(text: Placed, context: Context) -> Atoms:
    """The value of an expression; `a && 'x' || 'y'` is a choice, `a || 'x'` has a default."""
    ways = _split(text, "||")
    if len(ways) == 1:
        return _operand(text, context)
    guarded = [_split(way, "&&") for way in ways]
    if all(len(parts) == 1 for parts in guarded):
        return _first_of([_operand(way, context) for way in ways])
    last = [_operand(parts[-1], context) for parts in guarded]
    if any(atom.guard for atoms in last for atom in atoms):
        return _unknown(text)
    span = text.span()
    decision = Decision(place=f"{span.line}:{span.column}", outcomes=len(ways))
    return tuple(
        replace(atom, guard=frozenset({(decision, outcome)}))
        for outcome, atoms in enumerate(last)
        for atom in atoms
    )


def _first_of(ways: list[Atoms]) -> Atoms:
    """The first value that is not empty; an unknown one leaves the next as its default."""
    for index, atoms in enumerate(ways):
        known = "".join(atom.text.text for atom in atoms if atom.text is not None)
        if any(atom.text is None for atom in atoms):
            rest = ways[index + 1 :]
            default = rest[0] if rest else ()
            if len(rest) == 1 and all(atom.text is not None for atom in default):
                return tuple(replace(atom, replaceable=True, source=atoms[0].source) for atom in default)
            return (Atom(text=None, source=atoms[0].source),)
        if known and known not in {"false", "0"}:
            return atoms
    return ways[-1]


def _operand(text: Placed, context: Context) -> Atoms:
    text = text.stripped()
    while text.text.startswith("(") and text.text.endswith(")"):
        text = text.cut(1, len(text) - 1).stripped()
        if "||" in text.text:
            return _value(text, context)
    string = _STRING.fullmatch(text.text)
    if string is not None:
        inner = text.cut(1, len(text) - 1)
        plain = inner.text.replace("''", "'")
        return (Atom(text=inner if plain == inner.text else inner.standing_for(plain)),)
    if _LITERAL.match(text.text):
        return (Atom(text=text),)
    name = _NAME.match(text.text)
    if name is None:
        return _unknown(text)
    dotted = re.sub(r"\['([^']*)'\]", r".\1", name[1])
    return context.values.get(dotted) or (Atom(text=None, source=dotted.removeprefix("env.")),)


def _unknown(text: Placed) -> Atoms:
    return (Atom(text=None, source=" ".join(text.text.split())),)


def _split(text: Placed, operator: str) -> list[Placed]:
    """The text at an operator outside of strings and parentheses."""
    parts: list[Placed] = []
    depth = start = 0
    for match in _TOKEN.finditer(text.text):
        token = match[0]
        if token in _OPENS:
            depth += 1
        elif token in {")", "]"}:
            depth -= 1
        elif token == operator and not depth:
            parts.append(text.cut(start, match.start()))
            start = match.end()
    parts.append(text.cut(start, len(text)))
    return parts
