"""Python source as placed text: its syntax tree, where each node stands, and string literals with places.

`ast` gives the value of a literal but not the place of its characters, and places inside f-strings differ
between versions of Python. So literals are decoded here a second time.
"""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.spans import joined

if TYPE_CHECKING:
    from perfgate.config.spans import Placed

_GAP = re.compile(r"(?:[ \t\n\f]++|#[^\n]*+|\\\n)*+")
_OPENING = re.compile(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')")
_RUN = re.compile(r"[^\\{}\"']+")
_ESCAPE = re.compile(
    r"\\(?:(\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]*)\}|([\\'\"abfnrtv]))"
)
_ESCAPES = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_CONVERSION = re.compile(r"\s*(?:![sra]\s*)?")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """An expression in an f-string; `expression` is None when its text is not the plain text of its value.

    `place` holds the braces too.
    """

    expression: ast.expr | None
    place: Placed


class PythonCode:
    """A piece of Python source with its tree.

    Raises (on construction):
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` of Python that cannot be read.
    """

    def __init__(self, text: Placed) -> None:
        self.text = text
        self._source = text.text.replace("\r", "\n")
        self._lines = [0, *(match.end() for match in re.finditer("\n", self._source))]
        self._extents: dict[ast.AST, tuple[int, int]] = {}
        self._holes: dict[tuple[int, int], Hole] = {}
        self.tree: ast.Module = _parsed(self._source)

    def extent(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """The indices in the source at which a node starts and ends."""
        known = self._extents.get(node)
        if known is not None:
            return known
        start = self._index(node.lineno, node.col_offset)
        if node.end_lineno is None or node.end_col_offset is None:
            return start, start
        return start, self._index(node.end_lineno, node.end_col_offset)

    def place(self, node: ast.expr | ast.stmt | ast.keyword) -> Placed:
        """The node as written; a string without prefix and opening quote: its first character counts."""
        start, end = self.extent(node)
        if is_text(node) or isinstance(node, ast.JoinedStr):
            match = _OPENING.match(self._source, start, end)
            start = match.end() if match else start
        return self.text.cut(start, max(start, end))

    def literal(self, node: ast.expr) -> list[Placed | Hole]:
        """The parts of a string literal, implicit joins and f-strings included."""
        position, end = self.extent(node)
        parts: list[Placed | Hole] = []
        while position < end:
            opening = _OPENING.match(self._source, position)
            if opening is None:
                break
            position = self._body(opening, parts)
            gap = _GAP.match(self._source, position)
            position = gap.end() if gap else position
        return parts or [self.text.cut(position, position)]

    def _index(self, line: int, column: int) -> int:
        start = self._lines[line - 1]
        end = self._lines[line] if line < len(self._lines) else len(self._source)
        text = self._source[start:end]
        if not text.isascii():
            column = len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))
        return start + column

    def _body(self, opening: re.Match[str], parts: list[Placed | Hole]) -> int:
        """Appends the parts of one string token and returns the index behind its closing quote."""
        prefix, quote = opening[1].lower(), opening[2]
        position = opening.end()
        text: list[Placed] = []
        while position < len(self._source) and not self._source.startswith(quote, position):
            sign = self._source[position]
            if sign in "{}" and "f" in prefix:
                if self._source[position + 1 : position + 2] == sign:
                    text.append(self.text.cut(position, position + 2).standing_for(sign))
                    position += 2
                    continue
                parts += [joined(text, self.text.cut(position, position))]
                text = []
                position = self._hole(position, parts)
                continue
            position = self._character(position, text, is_raw="r" in prefix)
        parts.append(joined(text, self.text.cut(position, position)))
        return position + len(quote)

    def _character(self, position: int, text: list[Placed], *, is_raw: bool) -> int:
        """Appends the next character or run of plain characters."""
        escape = None if is_raw else _ESCAPE.match(self._source, position)
        if escape is not None:
            text.append(self.text.cut(position, escape.end()).standing_for(_unescaped(escape)))
            return escape.end()
        run = _RUN.match(self._source, position)
        end = run.end() if run else position + 1
        if is_raw and self._source[position] == "\\" and self._source[end : end + 1] not in {"{", "}"}:
            end += 1
        text.append(self.text.cut(position, end))
        return end

    def _hole(self, position: int, parts: list[Placed | Hole]) -> int:
        """Appends the expression in braces that begins here; the index behind its closing brace."""
        start = position + 1
        end = self._expression_end(start)
        conversion = _CONVERSION.match(self._source, end)
        tail = conversion.end() if conversion else end
        is_plain = self._source[tail : tail + 1] == "}" and self._source[end:tail].strip() in {"", "!s"}
        closing = tail
        depth = 1
        while closing < len(self._source) and depth:
            depth += {"{": 1, "}": -1}.get(self._source[closing], 0)
            closing += 1
        if (start, end) not in self._holes:
            expression = self._fragment(start, end) if is_plain else None
            self._holes[start, end] = Hole(expression=expression, place=self.text.cut(position, closing))
        parts.append(self._holes[start, end])
        return closing

    def _fragment(self, start: int, end: int) -> ast.expr | None:
        try:
            tree = _parsed(f"({self._source[start:end]})")
        except (SyntaxError, ValueError):
            return None
        statement = tree.body[0] if len(tree.body) == 1 else None
        if not isinstance(statement, ast.Expr):
            return None
        fragment = f"({self._source[start:end]})"
        lines = [0, *(match.end() for match in re.finditer("\n", fragment))]
        for node in ast.walk(statement.value):
            if isinstance(node, ast.expr | ast.keyword):
                first = _fragment_index(fragment, lines, node.lineno, node.col_offset)
                last = _fragment_index(fragment, lines, node.end_lineno or 1, node.end_col_offset or 0)
                self._extents[node] = (start + first - 1, start + last - 1)
        return statement.value

    def _expression_end(self, position: int) -> int:
        closers: list[str] = []
        while position < len(self._source):
            sign = self._source[position]
            opening = _OPENING.match(self._source, position)
            if opening is not None and not self._source[position - 1 : position].isalnum():
                position = self._body(opening, [])
                continue
            if sign in _BRACKETS:
                closers.append(_BRACKETS[sign])
            elif closers and sign == closers[-1]:
                closers.pop()
            elif not closers and self._ends_expression(position):
                return position
            position += 1
        return position

    def _ends_expression(self, position: int) -> bool:
        sign = self._source[position]
        following = self._source[position + 1 : position + 2]
        if sign in {"!", "="}:
            before = self._source[position - 1 : position]
            return following != "=" and before not in {"=", "!", "<", ">"}
        return sign in {"}", ":"}


def is_text(node: ast.AST) -> bool:
    """The node is a plain string or bytes literal."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _fragment_index(fragment: str, lines: list[int], line: int, column: int) -> int:
    start = lines[line - 1]
    return start + len(fragment[start:].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))


def _parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in a checked file are not ours to report
        return ast.parse(source)


def _unescaped(match: re.Match[str]) -> str:
    _, octal, short, code, long_code, name, sign = match.groups()
    if octal:
        return chr(int(octal, 8))
    if short or code or long_code:
        return chr(min(int(short or code or long_code, 16), 0x10FFFF))
    if name:
        try:
            return unicodedata.lookup(name)
        except KeyError:
            return "\ufffd"
    return _ESCAPES.get(sign, sign) if sign else ""
