"""The text of Dockerfile instructions: words of ENV and ARG, variables, and the exec form."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision
from perfgate.config.embedded import Expansion, TextPiece, atoms_of, within_limits
from perfgate.config.json_places import decoded_string, load_json
from perfgate.config.key_paths import BrokenTextError
from perfgate.config.setting_pairs import replaceable
from perfgate.config.spans import Placed
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Mapping

    Variables = Mapping[str, tuple[Atom, ...]]

_REFERENCE = re.compile(r"\$(?:(\w+)|\{(\w+)(?:(:?[-+?])|([#%/]{1,2})|\}))", re.ASCII)
_BLANKS = " \t\n"


def exec_words(text: Placed) -> tuple[Word, ...] | None:
    """The words of the exec form, or None when the text is no JSON list of strings."""
    stripped = text.stripped()
    if not stripped.text.startswith("["):
        return None
    try:
        root = load_json(stripped.text)
    except BrokenTextError:
        return None
    if any(item.kind != "str" for item in root.items):
        return None
    return tuple(_json_word(stripped, item.start, item.end) for item in root.items)


def _json_word(text: Placed, start: int, end: int) -> Word:
    placed = json_string(text, start, end)
    return Word(atoms=(Atom(text=placed),), place=placed)


def json_string(text: Placed, start: int, end: int) -> Placed:
    """The JSON string literal between two indices, decoded, each character in its place."""
    decoded, offsets = decoded_string(text.text, start, end)
    stops = [*offsets[1:], end - 1]
    return Placed(
        source=text.source,
        text=decoded,
        starts=tuple(text.starts[index] for index in offsets),
        ends=tuple(text.ends[index - 1] for index in stops[: len(offsets)]),
        anchor=text.offset(start + 1),
    )


def assigned_words(text: Placed, variables: Variables, escape: str) -> list[tuple[Placed, tuple[Atom, ...]]]:
    """The `NAME=value` words of ENV and ARG, or the one pair of the old form `ENV NAME value`."""
    words = _Words(text, variables, escape).read()
    first = words[0] if words else []
    if not any(isinstance(piece, Placed) and "=" in piece.text for piece in first[:1]):
        return _old_form(text, variables, escape)
    pairs = []
    for pieces in words:
        head = pieces[0] if pieces else None
        if not isinstance(head, Placed) or "=" not in head.text:
            continue
        size = head.text.index("=")
        atoms = atoms_of([head.cut(size + 1, len(head)), *pieces[1:]])
        pairs.append((head.cut(0, size), within_limits(atoms, head.text[:size])))
    return pairs


def _old_form(text: Placed, variables: Variables, escape: str) -> list[tuple[Placed, tuple[Atom, ...]]]:
    stripped = text.stripped()
    match = re.match(r"(\w+)(?:[ \t]+|$)", stripped.text)
    if match is None:
        return []
    value = stripped.cut(match.end(), len(stripped))
    pieces = [piece for word in _Words(value, variables, escape, splits=False).read() for piece in word]
    return [(stripped.cut(0, match.end(1)), atoms_of(pieces) if pieces else ())]


class _Words:
    """Splits text at blanks, takes quotes off and replaces variables, as the builder does."""

    def __init__(self, text: Placed, variables: Variables, escape: str, *, splits: bool = True) -> None:
        self._text = text
        self._variables = variables
        self._escape = escape
        self._splits = splits
        self._pieces: list[TextPiece] = []
        self._quote = ""

    def read(self) -> list[list[TextPiece]]:
        words: list[list[TextPiece]] = []
        position = 0
        written = self._text.text
        while position < len(written):
            if self._splits and not self._quote and written[position] in _BLANKS:
                words.append(self._pieces)
                self._pieces = []
                position += 1
            else:
                position = self._step(position, written[position])
        words.append(self._pieces)
        return [word for word in words if word]

    def _step(self, position: int, sign: str) -> int:
        text = self._text
        if sign in {'"', "'"} and self._quote in {"", sign}:
            self._quote = "" if self._quote else sign
            self._pieces.append(text.cut(position, position))
            return position + 1
        if sign == self._escape and self._quote != "'" and position + 1 < len(text):
            following = text.text[position + 1]
            if not self._quote or following in {'"', "$", self._escape}:
                self._pieces.append(text.cut(position, position + 2).standing_for(following))
                return position + 2
        match = _REFERENCE.match(text.text, position) if sign == "$" and self._quote != "'" else None
        if match is not None:
            return self._reference(match)
        end = position + 1
        while end < len(text) and not self._ends_run(text.text[end]):
            end += 1
        self._pieces.append(text.cut(position, end))
        return end

    def _ends_run(self, sign: str) -> bool:
        is_blank = self._splits and not self._quote and sign in _BLANKS
        return is_blank or sign in "\"'$" or sign == self._escape

    def _reference(self, match: re.Match[str]) -> int:
        name, operator = match[1] or match[2], match[3] or match[4] or ""
        end = match.end()
        if operator:
            end = self._text.text.find("}", end) + 1 or len(self._text)
        place = self._text.cut(match.start(), end)
        operand = self._text.cut(match.end(), max(match.end(), end - 1))
        self._pieces.append(Expansion(atoms=self._value(name, operator, operand), place=place))
        return end

    def _value(self, name: str, operator: str, operand: Placed) -> tuple[Atom, ...]:
        known = self._variables.get(name)
        if operator.endswith("-"):
            words = _Words(operand, self._variables, self._escape, splits=False).read()
            default = atoms_of(piece for word in words for piece in word)
            return known if known is not None else replaceable(default, name, operand)
        if operator.endswith("+"):
            inner_atoms = (Atom(text=operand),)
            if known is not None:
                return inner_atoms
            span = operand.span()
            guard = frozenset({(Decision(place=f"{span.line}:{span.column}", outcomes=2), 0)})
            return tuple(replace(atom, guard=guard) for atom in inner_atoms)
        if known is None or operator not in {"", "?", ":?"}:
            return (Atom(text=None, source=name),)
        return known
