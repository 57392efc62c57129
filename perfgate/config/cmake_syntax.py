"""CMake files as calls with arguments: comments left out, quoted, bracket and plain arguments told apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.key_paths import BrokenTextError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.spans import Placed

_SKIP = re.compile(r"(?:\s++|#\[(=*)\[.*?\]\1\]|#(?!\[=*\[)[^\n]*+)+", re.DOTALL)
_NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")
_BRACKET = re.compile(r"\[(=*)\[\n?(.*?)\]\1\]", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_PLAIN = re.compile(r"(?:[^\s()#\"\\$]++|\\.|\$<|\$[A-Z]*\{[^}\s]*\}?|\$|\"(?:[^\"\\\n]|\\.)*\")+", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Argument:
    """An argument as written, without its quotes; `quote` is `"`, `[` or empty."""

    text: Placed
    quote: str = ""

    @property
    def keyword(self) -> str:
        """The text of a plain argument, which may be a keyword; else empty."""
        return "" if self.quote else self.text.text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CMakeCall:
    """A call; `name` is in lower case."""

    name: str
    place: Placed
    arguments: tuple[Argument, ...]


def cmake_calls(text: Placed) -> Iterator[CMakeCall]:
    """The calls of a file in order.

    Raises:
        BrokenTextError: something that is no call, or a call that is never closed.
    """
    position = _behind_gap(text.text, 0)
    while position < len(text):
        match = _NAME.match(text.text, position)
        if match is None:
            raise BrokenTextError("expecting a call", position)
        arguments, end = _arguments(text, match.end())
        place = text.cut(match.start(1), match.end(1))
        yield CMakeCall(name=match[1].lower(), place=place, arguments=tuple(arguments))
        position = _behind_gap(text.text, end)


def _behind_gap(text: str, position: int) -> int:
    match = _SKIP.match(text, position)
    return match.end() if match else position


def _arguments(text: Placed, position: int) -> tuple[list[Argument], int]:
    found: list[Argument] = []
    depth = 1
    start = position
    while depth:
        position = _behind_gap(text.text, position)
        if position >= len(text):
            raise BrokenTextError("a call is never closed", start)
        sign = text.text[position]
        if sign in "()":
            depth += 1 if sign == "(" else -1
            position += 1
            continue
        argument, position = _argument(text, position)
        found.append(argument)
    return found, position


def _argument(text: Placed, position: int) -> tuple[Argument, int]:
    match = _BRACKET.match(text.text, position)
    if match is not None:
        return Argument(text=text.cut(match.start(2), match.end(2)), quote="["), match.end()
    match = _QUOTED.match(text.text, position)
    if match is not None:
        return Argument(text=text.cut(match.start(1), match.end(1)), quote='"'), match.end()
    match = _PLAIN.match(text.text, position)
    if match is None:
        raise BrokenTextError("expecting an argument", position)
    return Argument(text=text.cut(position, match.end())), match.end()
