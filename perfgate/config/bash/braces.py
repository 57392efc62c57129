"""Brace expansion: `{a,b}` and `{1..4}` become several words, each character keeping its place."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from perfgate.config.bash.syntax import Literal, WordPart, WordText

MAX_WORDS = 1024  # more words than this from one brace expansion are left as written
MAX_UNITS = 256  # a word with more braces, commas and pieces between them is left as written

_RANGE = re.compile(r"\{(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?\}\Z")

_Unit = Literal | WordPart


def expand_braces(word: WordText) -> tuple[WordText, ...]:
    """The words that a word's unquoted braces give; the word alone if it has none."""
    if not any(_opens(part) for part in word.parts):
        return (word,)
    units = _units(word.parts)
    if len(units) > MAX_UNITS:
        return (word,)
    ways = _expanded(units)
    if len(ways) == 1 or len(ways) > MAX_WORDS:
        return (word,)
    return tuple(replace(word, parts=tuple(way)) for way in ways)


def _opens(part: WordPart) -> bool:
    return isinstance(part, Literal) and not part.quoted and "{" in part.text.text


def _units(parts: tuple[WordPart, ...]) -> list[_Unit]:
    """The parts with every unquoted brace and comma as a literal of its own."""
    units: list[_Unit] = []
    for part in parts:
        if not isinstance(part, Literal) or part.quoted:
            units.append(part)
            continue
        start = 0
        for found in re.finditer(r"[{},]", part.text.text):
            if found.start() > start:
                units.append(Literal(part.text.cut(start, found.start()), quoted=False))
            units.append(Literal(part.text.cut(found.start(), found.end()), quoted=False))
            start = found.end()
        if start < len(part.text):
            units.append(Literal(part.text.cut(start, len(part.text)), quoted=False))
    return units


def _sign(unit: _Unit) -> str:
    if isinstance(unit, Literal) and not unit.quoted and unit.text.text in {"{", "}", ","}:
        return unit.text.text
    return ""


def _expanded(units: list[_Unit]) -> list[list[_Unit]]:
    for start, unit in enumerate(units):
        if _sign(unit) != "{":
            continue
        end, commas = _closing(units, start)
        if end < 0:
            continue
        ways = _choices(units, start, end, commas)
        if ways is None:
            continue
        rest = _expanded(units[end + 1 :])
        if len(ways) * len(rest) > MAX_WORDS:
            break
        return [[*units[:start], *way, *tail] for way in ways for tail in rest]
    return [units]


def _closing(units: list[_Unit], start: int) -> tuple[int, list[int]]:
    """The brace that closes the one at `start`, and the commas between them on the same level."""
    level, commas = 0, []
    for index in range(start, len(units)):
        sign = _sign(units[index])
        if sign == "{":
            level += 1
        elif sign == "," and level == 1:
            commas.append(index)
        elif sign == "}":
            level -= 1
            if level == 0:
                return index, commas
    return -1, []


def _choices(units: list[_Unit], start: int, end: int, commas: list[int]) -> list[list[_Unit]] | None:
    if commas:
        bounds = [start, *commas, end]
        pieces = [units[left + 1 : right] for left, right in pairwise(bounds)]
        return [way for piece in pieces for way in _expanded(piece)]
    inside = units[start : end + 1]
    if not all(isinstance(unit, Literal) and not unit.quoted for unit in inside):
        return None
    text = "".join(unit.text.text for unit in inside if isinstance(unit, Literal))
    return _range(units[start], text)


def _range(brace: _Unit, text: str) -> list[list[_Unit]] | None:
    found = _RANGE.match(text)
    if found is None or not isinstance(brace, Literal):
        return None
    values = _range_texts(found[1], found[2], found[3])
    if values is None:
        return None
    return [[Literal(brace.text.standing_for(value), quoted=True)] for value in values]


def _range_texts(first: str, last: str, step: str | None) -> list[str] | None:
    letters = first.isalpha() and last.isalpha()
    if first.isalpha() != last.isalpha():
        return None
    low, high = (ord(first), ord(last)) if letters else (int(first), int(last))
    stride = abs(int(step)) if step and int(step) else 1
    if abs(high - low) // stride >= MAX_WORDS:
        return None
    numbers = range(low, high + 1, stride) if high >= low else range(low, high - 1, -stride)
    if letters:
        return [chr(number) for number in numbers]
    padded = any(re.match(r"-?0\d", text) for text in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [f"{number:0{width}d}" if width else str(number) for number in numbers]
