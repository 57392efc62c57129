"""Arguments of CMake calls to words: variables, lists, escapes and generator expressions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Decision, contradicts
from perfgate.config.embedded import Expansion, atoms_of, unknown, within_limits
from perfgate.config.fields import Part, split_parts
from perfgate.config.words import Atom, Word, open_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.config.cmake_syntax import Argument
    from perfgate.config.embedded import TextPiece
    from perfgate.config.spans import Placed

MAX_DEPTH = 16  # expressions inside expressions
_REFERENCE = re.compile(r"\$\{([\w./+-]+)\}|\$(ENV|CACHE)\{([^}]*)\}")
_WHOLE = re.compile(r"\$\{([\w./+-]+)\}")
_CONDITION = re.compile(r"\$<(\$<|[01]:|IF:)")


def argument_words(argument: Argument, values: Mapping[str, tuple[Word, ...]]) -> tuple[Word, ...]:
    """The words that an argument becomes; a plain one is split at semicolons."""
    text = argument.text
    if argument.quote == "[":
        return (Word(atoms=(Atom(text=text),), place=text),)
    if argument.quote:
        return (Word(atoms=atoms_of(_pieces(text, values, 0)) or (Atom(text=text),), place=text),)
    whole = _WHOLE.fullmatch(text.text)
    if whole is not None:
        known = values.get(whole[1])
        if known is None:
            return (open_word(whole[1], text),)
        return tuple(_placed(word, text, is_single=len(known) == 1) for word in known)
    return _split(_pieces(text, values, 0), text)


def _placed(word: Word, place: Placed, *, is_single: bool) -> Word:
    """A word of a list; the one word of a variable stands where the variable is used."""
    return replace(word, place=place, from_list=not is_single)


def split_text(words: Sequence[Word]) -> tuple[Word, ...]:
    """Words with the semicolons inside of them as ends of list elements, as `set` keeps them."""
    found: list[Word] = []
    for word in words:
        if any(atom.text is not None and ";" in atom.text.text for atom in word.atoms):
            parts = [Part(atom=atom, splits=True) for atom in word.atoms]
            pieces = split_parts(parts, word.place, ";")
            found += [
                replace(piece, guards=word.guards) if piece.guards == (ALWAYS,) else piece for piece in pieces
            ]
        else:
            found.append(word)
    return tuple(found)


def _split(pieces: list[TextPiece], place: Placed) -> tuple[Word, ...]:
    """Semicolons end elements, but for those that a backslash escapes."""
    parts = [
        Part(atom=atom, splits=atom.text is None or len(atom.text) != 1 or not _is_escaped(atom.text))
        for atom in atoms_of(pieces)
    ]
    words = split_parts(parts, place, ";")
    return tuple(replace(word, from_list=False, splits=False) for word in words)


def _is_escaped(text: Placed) -> bool:
    return text.end_offset() - text.offset(0) > 1


def joined_list(words: Sequence[Word]) -> tuple[Atom, ...]:
    """A list as one text, with semicolons between the elements that are there together."""
    atoms: list[Atom] = []
    for index, word in enumerate(words):
        for guard in word.guards:
            meets = any(not contradicts(other, guard) for before in words[:index] for other in before.guards)
            if meets:
                atoms.append(Atom(text=word.place.cut(0, 0).standing_for(";"), guard=guard))
            if word.is_open:
                atoms.append(Atom(text=None, source=word.atoms[0].source, guard=guard))
            else:
                atoms += [replace(atom, guard=atom.guard | guard) for atom in word.atoms]
    return within_limits(tuple(atoms), "a long list")


def _pieces(text: Placed, values: Mapping[str, tuple[Word, ...]], depth: int) -> list[TextPiece]:
    """Text with references and generator expressions as expansions and escapes decoded."""
    pieces: list[TextPiece] = []
    position = start = 0
    while position < len(text):
        sign = text.text[position]
        if sign == "\\" and position + 1 < len(text):
            pieces.append(text.cut(start, position))
            pieces.append(_escaped(text.cut(position, position + 2)))
            position = start = position + 2
            continue
        found = _expansion(text, position, values, depth) if sign == "$" else None
        if found is None:
            position += 1
            continue
        pieces.append(text.cut(start, position))
        pieces.append(found[0])
        position = start = found[1]
    pieces.append(text.cut(start, len(text)))
    return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)]


def _escaped(text: Placed) -> Placed:
    sign = text.text[1]
    decoded = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(sign, sign)
    return text.standing_for(decoded) if decoded else text.cut(0, 0)


def _expansion(
    text: Placed, position: int, values: Mapping[str, tuple[Word, ...]], depth: int
) -> tuple[Expansion, int] | None:
    match = _REFERENCE.match(text.text, position)
    if match is not None:
        place = text.cut(position, match.end())
        known = values.get(match[1]) if match[1] else None
        name = match[1] or f"{match[2]}{{{match[3]}}}"
        atoms = unknown(name, place).atoms if known is None else joined_list(known)
        return Expansion(atoms=atoms, place=place), match.end()
    if text.text.startswith("$<", position):
        end = _closing(text.text, position)
        place = text.cut(position, end)
        return Expansion(atoms=_generated(place, values, depth), place=place), end
    if text.text.startswith("${", position):  # a name that is itself put together
        end = text.text.find("}", position) + 1 or len(text)
        while text.text.count("{", position, end) > text.text.count("}", position, end) and end < len(text):
            end = text.text.find("}", end) + 1 or len(text)
        place = text.cut(position, end)
        return unknown(place.text, place), end
    return None


def _closing(text: str, start: int) -> int:
    """The index behind the `>` that closes the generator expression at `start`."""
    depth = 0
    index = start
    while index < len(text):
        if text.startswith("$<", index):
            depth += 1
            index += 1
        elif text[index] == ">":
            depth -= 1
            if not depth:
                return index + 1
        index += 1
    return len(text)


def _generated(text: Placed, values: Mapping[str, tuple[Word, ...]], depth: int) -> tuple[Atom, ...]:
    """The value of a generator expression: text under a condition, or not known."""
    inner = text.cut(2, max(len(text) - 1, 2))
    match = _CONDITION.match(text.text)
    if depth > MAX_DEPTH or match is None:
        signs = {"SEMICOLON": ";", "COMMA": ",", "ANGLE-R": ">"}
        sign = signs.get(inner.text)
        return (Atom(text=text.standing_for(sign)),) if sign else unknown(text.text, text).atoms
    parts = _top_level(inner, ":" if match[1] != "IF:" else ",")
    if match[1] == "IF:":
        ways = [atoms_of(_pieces(part, values, depth + 1)) for part in parts[1:3]]
        return tuple(atom for index, atoms in enumerate(ways) for atom in _under(atoms, text, index))
    content = inner.cut(len(parts[0]) + 1, len(inner))
    atoms = atoms_of(_pieces(content, values, depth + 1))
    if parts[0].text in {"0", "1"}:
        return atoms if parts[0].text == "1" else ()
    return _under(atoms, text, 0)


def _under(atoms: tuple[Atom, ...], place: Placed, outcome: int) -> tuple[Atom, ...]:
    span = place.span()
    pair = frozenset({(Decision(place=f"{span.line}:{span.column}", outcomes=2), outcome)})
    return tuple(replace(atom, guard=atom.guard | pair) for atom in atoms)


def _top_level(text: Placed, separator: str) -> list[Placed]:
    parts: list[Placed] = []
    depth = start = 0
    for index, sign in enumerate(text.text):
        if text.text.startswith("$<", index):
            depth += 1
        elif sign == ">" and depth:
            depth -= 1
        elif sign == separator and not depth:
            parts.append(text.cut(start, index))
            start = index + 1
    parts.append(text.cut(start, len(text)))
    return parts
