"""Text from a repository made safe and measured for people: escapes, display width, caret lines."""

from __future__ import annotations

import unicodedata

from perfgate.report.inert import inert

MAX_LINE = 120  # columns of a source line that are shown
_CUT = "..."


def escaped(text: str) -> str:
    """Control, bidirectional and invisible signs written out; a tab stays, everything else as it is."""
    return "\t".join(inert(part) for part in text.split("\t"))


def one_line(text: str) -> str:
    """A message on one line: line ends and tabs escaped as well."""
    return escaped(text).replace("\t", "\\t")


def width(text: str) -> int:
    """Columns of a terminal that a text takes; a tab counts one, because the caret line repeats it."""
    return sum(_sign_width(sign) for sign in text)


def _sign_width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in {"W", "F"} else 1


def caret_lines(line: str, start: int, end: int) -> tuple[str, str]:
    """A source line and carets under its characters `start` to before `end` (0-based), cut around them."""
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line))
    first = max(0, min(start, len(line) - MAX_LINE)) if len(line) > MAX_LINE and end > MAX_LINE else 0
    shown = line[first : first + MAX_LINE]
    stop = min(end, first + MAX_LINE)
    head = _CUT if first else ""
    tail = _CUT if first + MAX_LINE < len(line) else ""
    before, marked = escaped(line[first:start]), escaped(line[start:stop])
    blank = " " * len(head) + "".join("\t" if sign == "\t" else " " * _sign_width(sign) for sign in before)
    carets = "^" * max(1, width(marked))
    return head + escaped(shown) + tail, blank + carets
