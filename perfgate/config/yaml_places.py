"""Where each character of a YAML scalar stands in the file, so that a script in a block keeps its lines.

PyYAML says what a scalar's text is; this module decodes the written form a second time, with offsets. Where
the two differ, which would be a fault of this module, every character is placed at the whole scalar.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.config.spans import Placed

if TYPE_CHECKING:
    from perfgate.config.spans import Source
    from perfgate.config.yaml_load import YamlNode

_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_CODE_LENGTHS = {"x": 2, "u": 4, "U": 8}
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_HEADER = re.compile(r"[|>]([-+0-9]*)")
_JOINED = re.compile("\\\\(?:\r\n|[\n\r\x85\u2028\u2029])(?:[ \t]|\r\n|[\n\r\x85\u2028\u2029])*")
_FOLD = re.compile("[ \t]*(?:\r\n|[\n\r\x85\u2028\u2029])(?:[ \t]|\r\n|[\n\r\x85\u2028\u2029])*")

_BLANKS = re.compile(" *")
_FILLED = re.compile("^( *)[^ \n]", re.MULTILINE)

Characters = list[tuple[str, int, int]]  # a character, where it starts and where it ends


def scalar_text(source: Source, node: YamlNode) -> Placed:
    """The scalar's text with the place of each character."""
    if not node.style and node.end - node.start == len(node.text):
        return source.whole().cut(node.start, node.end)
    characters = _characters(source.text, node)
    if "".join(character for character, _, _ in characters) != node.text:
        return source.whole().cut(node.start, node.end).standing_for(node.text)
    return Placed(
        source=source,
        text=node.text,
        starts=tuple(start for _, start, _ in characters),
        ends=tuple(end for _, _, end in characters),
        anchor=node.start,
    )


def _characters(source: str, node: YamlNode) -> Characters:
    if node.style in {"|", ">"}:
        return _block(source, node)
    if node.style in {"'", '"'}:
        return _quoted(source, node)
    return _flow(source, node.start, node.end, "")


def _quoted(source: str, node: YamlNode) -> Characters:
    end = source.rfind(node.style, node.start + 1, node.end)
    return _flow(source, node.start + 1, end, node.style)


def _flow(source: str, start: int, end: int, style: str) -> Characters:
    placed: Characters = []
    position = start
    while position < end:
        fold = _FOLD.match(source, position, end)
        if fold is not None:
            placed += _folded_break(source, position, fold.end())
            position = fold.end()
            continue
        step = 1
        character = source[position]
        if style == "'" and character == "'":
            step = 2
        elif style == '"' and character == "\\":
            joined = _JOINED.match(source, position, end)
            if joined is not None:
                breaks = list(_BREAK.finditer(source, position, joined.end()))
                placed += [("\n", match.start(), match.end()) for match in breaks[1:]]
                position = joined.end()
                continue
            character, step = _escape(source, position)
        placed.append((character, position, position + step))
        position += step
    return placed


def _escape(source: str, position: int) -> tuple[str, int]:
    """The character an escape stands for and its written length."""
    sign = source[position + 1 : position + 2]
    if sign in _CODE_LENGTHS:
        length = _CODE_LENGTHS[sign]
        return chr(int(source[position + 2 : position + 2 + length], 16)), 2 + length
    return _ESCAPES.get(sign, sign), 2


def _folded_break(source: str, start: int, end: int) -> Characters:
    """Line breaks inside a flow scalar: one is a blank, of several all but the first stay."""
    breaks = list(_BREAK.finditer(source, start, end))
    if len(breaks) == 1:
        return [(" ", start, end)]
    return [("\n", match.start(), match.end()) for match in breaks[1:]]


def _block(source: str, node: YamlNode) -> Characters:
    header = _HEADER.match(source, node.start)
    signs = header[1] if header else ""
    first = _BREAK.search(source, node.start, node.end)
    if first is None:
        return []
    lines = _lines(source, first.end(), node.end)
    indent = _indent(source, lines, node.text)
    body = [_Line(source, start, end, indent) for start, end in lines]
    while body and not body[-1].text and not body[-1].ends:
        body.pop()
    trailing = len(body)
    while trailing and not body[trailing - 1].text:
        trailing -= 1
    placed = _literal(body[:trailing]) if node.style == "|" else _folded(body[:trailing])
    if "-" in signs:
        return placed
    if trailing and body[trailing - 1].ends:
        placed.append(body[trailing - 1].ending("\n"))
    if "+" in signs:
        placed += [line.ending("\n") for line in body[trailing:] if line.ends]
    return placed


class _Line:
    """One line of a block scalar without its indentation."""

    __slots__ = ("end", "ends", "start", "text")

    def __init__(self, source: str, start: int, end: int, indent: int) -> None:
        self.start = min(start + indent, end)
        self.end = end
        self.text = source[self.start : end]
        self.ends = end < len(source)

    def placed(self) -> Characters:
        return [(character, at, at + 1) for at, character in enumerate(self.text, start=self.start)]

    def ending(self, sign: str) -> tuple[str, int, int]:
        """The line's break as the character it becomes."""
        return sign, self.end, self.end + 1

    @property
    def is_deeper(self) -> bool:
        """Lines that begin with a blank keep their breaks in folded text."""
        return self.text[:1] in {" ", "\t"}


def _lines(source: str, start: int, end: int) -> list[tuple[int, int]]:
    """Start and end, without the break, of the lines from `start`."""
    lines = []
    while start < end:
        ending = _BREAK.search(source, start, end)
        lines.append((start, ending.start() if ending else end))
        start = ending.end() if ending else end
    return lines


def _indent(source: str, lines: list[tuple[int, int]], text: str) -> int:
    """The indentation a block's lines lose: what its first filled line, or else its longest, is wider by."""
    for start, end in lines:
        match = _BLANKS.match(source, start, end)
        filled = _FILLED.search(text)
        if match is not None and match.end() < end and filled is not None:
            return match.end() - start - len(filled[1])
    return max((end - start for start, end in lines), default=0) - max(map(len, text.split("\n")))


def _literal(lines: list[_Line]) -> Characters:
    placed: Characters = []
    for index, line in enumerate(lines):
        placed += line.placed()
        if index + 1 < len(lines):
            placed.append(line.ending("\n"))
    return placed


def _folded(lines: list[_Line]) -> Characters:
    placed: Characters = []
    previous: _Line | None = None
    blank_lines: list[_Line] = []
    for line in lines:
        if not line.text:
            blank_lines.append(line)
            continue
        if previous is not None:
            keeps = previous.is_deeper or line.is_deeper
            if keeps or not blank_lines:
                placed.append(previous.ending("\n" if keeps else " "))
        placed += [empty.ending("\n") for empty in blank_lines]
        placed += line.placed()
        previous, blank_lines = line, []
    return placed
