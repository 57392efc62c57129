"""Lines of a notebook cell that are not Python: `!` commands and `%` magics.

Each such line becomes a call with its number, so that the Python reader meets it in its place with the names
that hold there.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.config.embedded import Expansion, TextPiece, atoms_of
from perfgate.config.found import Found, merged
from perfgate.config.python_calls import FOREIGN_LINE
from perfgate.config.python_eval import environment, joined_tables
from perfgate.config.python_names import ENVIRON
from perfgate.config.python_values import Entry, Table, Text, text_of
from perfgate.config.running import run_pieces
from perfgate.config.setting_pairs import pair_settings
from perfgate.config.spans import Placed, joined

if TYPE_CHECKING:
    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names

_FOREIGN = re.compile(r"([ \t]*(?:[\w., \t\[\]'\"]*?=[ \t]*)?)(!{1,2}|%(?!%)(?=[A-Za-z]))")
_MAGIC = re.compile(r"%(\w+)[ \t]*")
_TIMED = frozenset({"time", "timeit", "prun", "memit", "lprun"})
_OPTIONS = re.compile(r"(?:-\w+[ \t]*\d*[ \t]+)*")
_SHELL_MAGICS = frozenset({"sx", "system", "bash", "sh"})
_ENV_MAGICS = frozenset({"env", "set_env"})
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(?:[ \t]*=[ \t]*|[ \t]+)")
_SCAN = re.compile(
    r"#[^\n]*|\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|[()\[\]{}]|[^#\"'()\[\]{}]+"
)
_LONG_QUOTES = frozenset({'"""', "'''"})
_VALUES = re.compile(r"\$\$|\{([^{}]*)\}|\$([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Line:
    """A line's text behind its sign. `kind` is `!`, or the name of a setting magic."""

    kind: str
    text: Placed
    context: str


@dataclass(slots=True, eq=False)
class ForeignLines:
    """The lines of all cells by number."""

    lines: list[_Line] = field(default_factory=list)

    def add(self, kind: str, text: Placed, context: str) -> int:
        """Keeps a line and returns its number."""
        self.lines.append(_Line(kind=kind, text=text, context=context))
        return len(self.lines) - 1

    def read(self, evaluator: Evaluator, names: Names, number: int) -> Found:
        """The facts of a line where the names hold."""
        line = self.lines[number]
        pieces = _pieces(line.text, evaluator, names)
        if line.kind == "!":
            known = environment(names).entries
            variables = {entry.key.text: text_of(entry.value).atoms for entry in known if not entry.guard}
            return run_pieces(pieces, variables, context=line.context)
        return _setting(line.text, evaluator, names)


def _setting(text: Placed, evaluator: Evaluator, names: Names) -> Found:
    """`%env NAME=value`; the process and all commands behind it see the variable."""
    match = _ASSIGNED.match(text.text)
    if match is None or match.end() >= len(text):
        return Found()
    name = text.cut(match.start(1), match.end(1))
    pieces = _pieces(text.cut(match.end(), len(text)), evaluator, names)
    atoms = atoms_of(pieces)
    if name.text not in name.source.watch.variables:
        more = Table(entries=(Entry(key=name, value=Text(atoms=atoms)),), is_environment=True)
        names.own[ENVIRON] = joined_tables(environment(names), more)
    return merged(pair_settings([(name, atoms)]))


def _pieces(text: Placed, evaluator: Evaluator, names: Names) -> list[TextPiece]:
    """The line with `{expression}` and `$name` of Python put in; what Python does not know is the shell's."""
    pieces: list[TextPiece] = []
    position = 0
    for match in _VALUES.finditer(text.text):
        place = text.cut(match.start(), match.end())
        name = match[2] or (match[1] or "").strip()
        if match[0] == "$$":
            found: TextPiece | None = place.standing_for("$")
        else:
            found = _value(name, place, evaluator, names)
            if found is None and match[1] is not None and not _is_expression(match[1]):
                return [text]  # `awk '{print $1}'`: IPython gives up on the whole line
        if found is not None:
            pieces += [text.cut(position, match.start()), found]
            position = match.end()
    pieces.append(text.cut(position, len(text)))
    return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)] or [text]


def _value(name: str, place: Placed, evaluator: Evaluator, names: Names) -> Expansion | None:
    if name.isidentifier():
        value = names.get(name)
        if value is None:
            is_python = place.text.startswith("{")
            return Expansion(atoms=evaluator.unknown(name).atoms, place=place) if is_python else None
        return Expansion(atoms=text_of(value).atoms, place=place)
    if not _is_expression(name):
        return None
    return Expansion(atoms=evaluator.unknown(name).atoms, place=place)


def _is_expression(text: str) -> bool:
    try:
        tree = ast.parse(text.strip() or "(", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return not isinstance(tree.body, ast.Tuple)  # `{1,2}` is a brace expansion of the shell


class CellLines:
    """One cell, in which lines that are not Python are found where a statement can begin."""

    def __init__(self, cell: Placed, foreign: ForeignLines, context: str) -> None:
        self._cell = cell
        self._foreign = foreign
        self._context = context

    def python(self) -> Placed:
        """The cell as Python."""
        parts: list[Placed] = []
        position = 0
        while position < len(self._cell):
            end = self._line_end(position)
            match = _FOREIGN.match(self._cell.text, position, end)
            if match is None:
                end = self._statement_end(position)
                parts.append(self._cell.cut(position, end))
            else:
                end = self._continued_end(position)
                parts.append(self._replaced(match, end))
            position = end
        return joined(parts, self._cell)

    def _line_end(self, position: int) -> int:
        end = self._cell.text.find("\n", position)
        return len(self._cell) if end < 0 else end + 1

    def _continued_end(self, position: int) -> int:
        end = self._line_end(position)
        while self._cell.text[:end].endswith("\\\n") and end < len(self._cell):
            end = self._line_end(end)
        return end

    def _statement_end(self, position: int) -> int:
        """The end of the line on which no bracket and no long string is open."""
        depth = 0
        quote = ""
        text = self._cell.text
        while position < len(text):
            if quote:
                end = text.find(quote, position)
                position = len(text) if end < 0 else end + len(quote)
                quote = ""
                continue
            match = _SCAN.match(text, position)
            part = match[0] if match else text[position]
            if part in _LONG_QUOTES:
                quote = part
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(part, 0)
            line_end = self._plain_break(part) if depth <= 0 and not quote else 0
            if line_end:
                return position + line_end
            position += len(part)
        return len(text)

    def _plain_break(self, part: str) -> int:
        """The index behind the first line break that no backslash continues, or 0."""
        start = 0
        while (found := part.find("\n", start)) >= 0:
            if not part[:found].endswith("\\"):
                return found + 1
            start = found + 1
        return 0

    def _replaced(self, match: re.Match[str], end: int) -> Placed:
        head = self._cell.cut(match.start(), match.end(1))
        text = self._cell.cut(match.end(1), end)
        ends_line = text.text.endswith("\n")
        body = text.cut(0, len(text) - 1) if ends_line else text
        return joined([head, self._python_of(body), text.cut(len(body), len(text))], head)

    def _python_of(self, body: Placed) -> Placed:
        if body.text.startswith("!"):
            start = 2 if body.text.startswith("!!") else 1
            return self._call("!", body.cut(start, len(body)))
        match = _MAGIC.match(body.text)
        name = match[1] if match else ""
        rest = body.cut(match.end() if match else len(body), len(body))
        if name in _TIMED:
            options = _OPTIONS.match(rest.text)
            rest = rest.cut(options.end() if options else 0, len(rest))
            return self._python_of(rest) if rest.text.startswith(("!", "%")) else _or_pass(rest)
        if name in _SHELL_MAGICS:
            return self._call("!", rest)
        if name in _ENV_MAGICS:
            return self._call("env", rest)
        return body.standing_for("None")

    def _call(self, kind: str, text: Placed) -> Placed:
        number = self._foreign.add(kind, text, self._context)
        return text.standing_for(f"{FOREIGN_LINE}({number})")


def _or_pass(text: Placed) -> Placed:
    return text if text.text.strip() else text.standing_for("None")
