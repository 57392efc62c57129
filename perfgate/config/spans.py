"""Placed text: text that knows, character by character, where it stands in the outer file.

A command may be written inside a heredoc, a YAML block, a JSON string or a Python literal. Whoever takes text
out of such a wrapping keeps its places by slicing, joining and decoding it here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.config.facts import Span
from perfgate.config.programs import WATCH, Watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file's text without byte order mark and with CRLF joined to LF.

    Taking out a CR changes no line or column. `carriage_lines` holds the 1-based lines that ended with CRLF.
    `watch` says what its readers report.
    """

    path: str
    text: str
    carriage_lines: frozenset[int] = field(default=frozenset(), repr=False)
    watch: Watch = WATCH

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset of each line's first character."""
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return tuple(starts)

    def point(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets."""
        line, column = self.point(start)
        end_line, end_column = self.point(max(start, end))
        return Span(path=self.path, line=line, column=column, end_line=end_line, end_column=end_column)

    def whole(self) -> Placed:
        """The whole file as placed text."""
        size = len(self.text)
        return Placed(source=self, text=self.text, starts=range(size), ends=range(1, size + 1), anchor=0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """Text with the outer offsets at which each of its characters starts and ends.

    `anchor` is the outer offset at which empty text stands.
    """

    source: Source
    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    anchor: int

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> Placed:
        first, last, _ = part.indices(len(self.text))
        return self.cut(first, max(first, last))

    def cut(self, first: int, last: int) -> Placed:
        """The characters from `first` up to `last`; neither may be negative."""
        return Placed(
            source=self.source,
            text=self.text[first:last],
            starts=self.starts[first:last],
            ends=self.ends[first:last],
            anchor=self.offset(first),
        )

    def offset(self, index: int) -> int:
        """The outer offset at which the character stands, or where the text ends."""
        if index < len(self.starts):
            return self.starts[index]
        return self.ends[-1] if self.ends else self.anchor

    def standing_for(self, text: str) -> Placed:
        """Decoded text in the place of this text: every character of it spans all of this."""
        first, last = self.offset(0), self.end_offset()
        size = len(text)
        return Placed(
            source=self.source, text=text, starts=(first,) * size, ends=(last,) * size, anchor=self.anchor
        )

    def end_offset(self) -> int:
        """The outer offset at which the run of text that begins with the first character ends."""
        if not self.starts:
            return self.anchor
        if isinstance(self.starts, range):
            return self.ends[-1]
        end = self.ends[0]
        for start, stop in zip(self.starts, self.ends, strict=True):
            if start < self.starts[0] or stop < end:
                break
            end = stop
        return end

    def span(self) -> Span:
        """The outer span; of text from several places, the run that begins with its first character."""
        return self.source.span(self.offset(0), self.end_offset())

    def stripped(self) -> Placed:
        """The text without blanks at both ends."""
        first = len(self.text) - len(self.text.lstrip())
        return self.cut(first, max(first, len(self.text.rstrip())))


def joined(parts: Iterable[Placed], at: Placed) -> Placed:
    """The texts one after the other; `at` gives the source and the place of empty text."""
    kept = [part for part in parts if part.text]
    if not kept:
        return at.cut(0, 0)
    if len(kept) == 1:
        return kept[0]
    first, last = kept[0], kept[-1]
    text = "".join(part.text for part in kept)
    if _runs_on(kept):
        starts: Sequence[int] = range(first.starts[0], last.ends[-1])
        ends: Sequence[int] = range(first.starts[0] + 1, last.ends[-1] + 1)
    else:
        starts = tuple(offset for part in kept for offset in part.starts)
        ends = tuple(offset for part in kept for offset in part.ends)
    return Placed(source=first.source, text=text, starts=starts, ends=ends, anchor=first.starts[0])


def _runs_on(parts: list[Placed]) -> bool:
    if not all(isinstance(part.starts, range) for part in parts):
        return False
    return all(left.ends[-1] == right.starts[0] for left, right in pairwise(parts))
