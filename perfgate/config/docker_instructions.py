"""Instructions of a Dockerfile: lines joined at the escape sign, comments left out, heredocs taken aside."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.config.spans import Placed, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.spans import Source

_DIRECTIVE = re.compile(r"#\s*([A-Za-z]+)\s*=\s*(\S+)\s*$")
_KEYWORD = re.compile(r"\s*([A-Za-z]+)(?:[ \t]+|$)")
_HEREDOC = re.compile(r"<<(-?)\s*(['\"]?)([A-Za-z_]\w*)\2")
_HAS_HEREDOCS = frozenset({"RUN", "COPY", "ADD"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instruction:
    """One instruction: its keyword in upper case, its text, and the bodies of its heredocs.

    `rest` is everything behind the first line up to the last end mark of a heredoc, as it is written.
    """

    keyword: str
    text: Placed
    escape: str
    heredocs: tuple[Placed, ...] = ()
    rest: Placed | None = None

    def with_heredocs(self, text: Placed) -> Placed:
        """The text with its heredocs as the shell gets them."""
        if self.rest is None:
            return text
        line_end = text.cut(len(text), len(text)).standing_for("\n")
        return joined([text, line_end, self.rest], text)

    def inner(self) -> Instruction | None:
        """The instruction behind ONBUILD."""
        match = _KEYWORD.match(self.text.text)
        if match is None:
            return None
        return replace(self, keyword=match[1].upper(), text=self.text.cut(match.end(), len(self.text)))


def instructions_of(source: Source) -> Iterator[Instruction]:
    """The instructions of a file in order."""
    lines = _lines(source)
    marks = _Marks(lines)
    escape = _escape_sign([line.text for line in lines])
    ends = re.compile(re.escape(escape) + r"[ \t]*$")
    index = 0
    while index < len(lines):
        if _is_skipped(lines[index].text):
            index += 1
            continue
        parts, index = _joined_lines(lines, index, ends)
        text = joined(parts, parts[0])
        match = _KEYWORD.match(text.text)
        if match is None:
            continue
        instruction = Instruction(
            keyword=match[1].upper(), text=text.cut(match.end(), len(text)), escape=escape
        )
        if instruction.keyword in _HAS_HEREDOCS or instruction.keyword == "ONBUILD":
            instruction, index = _with_heredocs(instruction, marks, index)
        yield instruction


def _lines(source: Source) -> list[Placed]:
    whole = source.whole()
    starts = [*source.line_starts, len(source.text) + 1]
    return [whole.cut(start, end - 1) for start, end in pairwise(starts)]


def _escape_sign(lines: list[str]) -> str:
    for line in lines:
        match = _DIRECTIVE.match(line.strip())
        if match is None:
            return "\\"
        if match[1].lower() == "escape" and match[2] in {"`", "\\"}:
            return match[2]
    return "\\"


def _is_skipped(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith("#")


def _joined_lines(lines: list[Placed], index: int, ends: re.Pattern[str]) -> tuple[list[Placed], int]:
    """The lines of one instruction without escape signs; comments and empty lines between are left out."""
    parts: list[Placed] = []
    while index < len(lines):
        line = lines[index]
        index += 1
        if parts and _is_skipped(line.text):
            continue
        match = ends.search(line.text)
        parts.append(line.cut(0, match.start()) if match else line)
        if match is None:
            break
    return parts, index


class _Marks:
    """Finds the line that ends a heredoc without reading all lines for each."""

    def __init__(self, lines: list[Placed]) -> None:
        self.lines = lines
        self._numbers: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            self._numbers.setdefault(line.text.lstrip("\t"), []).append(number)

    def find(self, mark: str, start: int, *, strips: bool) -> int | None:
        """The first line from `start` on that is the mark; `strips`: tabs before it do not count."""
        numbers = self._numbers.get(mark, [])
        for number in numbers[bisect_left(numbers, start) :]:
            if strips or self.lines[number].text == mark:
                return number
        return None


def _with_heredocs(instruction: Instruction, marks: _Marks, index: int) -> tuple[Instruction, int]:
    bodies: list[Placed] = []
    first = index
    for match in _HEREDOC.finditer(_without_quotes(instruction.text.text)):
        end = marks.find(match[3], index, strips=bool(match[1]))
        if end is None:
            return instruction, first  # never closed: not a heredoc
        bodies.append(_between(marks.lines, index, end))
        index = end + 1
    if not bodies:
        return instruction, first
    return replace(instruction, heredocs=tuple(bodies), rest=_between(marks.lines, first, index)), index


def _without_quotes(text: str) -> str:
    """The text with quoted strings blanked, as long as before; here-strings are no heredocs."""
    blanked = re.sub(r"<<<", "   ", text)
    return re.sub(r"(?<!<<)(?<!<<-)(['\"])(?:\\.|(?!\1).)*\1", lambda match: " " * len(match[0]), blanked)


def _between(lines: list[Placed], first: int, last: int) -> Placed:
    """The text from the start of one line to the start of another."""
    whole = lines[0].source.whole()
    start = lines[first].offset(0) if first < len(lines) else len(whole)
    end = lines[last].offset(0) if last < len(lines) else len(whole)
    return whole.cut(start, end)
