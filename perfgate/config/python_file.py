"""Python files: the facts, or the place at which Python itself would stop reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.broken import broken_at
from perfgate.config.found import Found, merged
from perfgate.config.python_calls import read_python

if TYPE_CHECKING:
    from perfgate.config.spans import Placed, Source

MIN_TRIES, MAX_TRIES = 2, 40  # lines left out to find a start of a broken file that is Python
TRIED_CHARACTERS = 2_000_000  # parsed for that in all


def read_python_file(source: Source) -> Found:
    """The facts of a Python file."""
    return read_python_text(source.whole())


def read_python_text(text: Placed) -> Found:
    """The facts of Python source inside of a file."""
    try:
        return read_python(text)
    except SyntaxError as error:
        offset = _index(text.text, error.lineno or 1, error.offset or 1)
        broken = broken_at(text.cut(offset, offset).span(), error.msg)
        return merged([_before(text, error.lineno or 1), broken])
    except (RecursionError, MemoryError):
        return broken_at(text.cut(0, 0).span(), "it is nested too deeply")
    except ValueError as error:
        return broken_at(text.cut(0, 0).span(), str(error))


def _before(text: Placed, line: int) -> Found:
    """The facts of the longest start of the text, up to the broken line, that is Python by itself."""
    lines = text.text.split("\n")
    tries = max(MIN_TRIES, min(MAX_TRIES, TRIED_CHARACTERS // (len(text) + 1)))
    for count in range(min(line - 1, len(lines)), max(line - 1 - tries, 0), -1):
        size = sum(len(part) + 1 for part in lines[:count])
        try:
            return read_python(text.cut(0, min(size, len(text))))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return Found()


def _index(text: str, line: int, column: int) -> int:
    lines = text.split("\n")[: line - 1]
    return min(sum(len(part) + 1 for part in lines) + max(column - 1, 0), len(text))
