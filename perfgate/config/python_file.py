"""Python files: the facts, or the place at which Python itself would stop reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.broken import broken_at
from perfgate.config.python_calls import read_python

if TYPE_CHECKING:
    from perfgate.config.found import Found
    from perfgate.config.spans import Placed, Source


def read_python_file(source: Source) -> Found:
    """The facts of a Python file."""
    return read_python_text(source.whole())


def read_python_text(text: Placed) -> Found:
    """The facts of Python source inside of a file."""
    try:
        return read_python(text)
    except SyntaxError as error:
        offset = _index(text.text, error.lineno or 1, error.offset or 1)
        return broken_at(text.cut(offset, offset).span(), error.msg)
    except (RecursionError, MemoryError):
        return broken_at(text.cut(0, 0).span(), "it is nested too deeply")
    except ValueError as error:
        return broken_at(text.cut(0, 0).span(), str(error))


def _index(text: str, line: int, column: int) -> int:
    lines = text.split("\n")[: line - 1]
    return min(sum(len(part) + 1 for part in lines) + max(column - 1, 0), len(text))
