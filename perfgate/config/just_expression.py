"""Expressions of a justfile: strings, names, `+` and `/`, `if`, and functions that read the environment."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision
from perfgate.config.embedded import Budget, within_limits
from perfgate.config.setting_pairs import replaceable
from perfgate.config.spans import Placed, joined
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from collections.abc import Callable

Atoms = tuple[Atom, ...]
MAX_DEPTH = 24  # names inside names, parentheses inside parentheses
_GAP = re.compile(r"(?:[ \t]++|\\\n)*+")
_LONG_GAP = re.compile(r"(?:\s++|\\\n|#[^\n]*+)*+")
_STRING = re.compile(
    r"([xf]?)('''(.*?)'''|\"\"\"((?:[^\"\\]|\\.|\"(?!\"\"))*)\"\"\"|'([^']*)'|\"((?:[^\"\\]|\\.)*)\")",
    re.DOTALL,
)
_BACKTICK = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_OPERATOR = re.compile(r"\+|/|==|!=|=~|!~|&&|\|\|")
_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]+)\}|(\n)|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_SIGNS = {"==": True, "!=": False}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JustNames:
    """What names stand for: assignments by the place of their expression, and the parameters of a recipe."""

    expressions: dict[str, Placed] = field(default_factory=dict)
    parameters: dict[str, Atoms] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)

    def with_parameters(self, parameters: dict[str, Atoms]) -> JustNames:
        """The names that a recipe sees."""
        return replace(self, parameters=parameters)


def evaluate(text: Placed, names: JustNames, depth: int = 0) -> tuple[Atoms, int]:
    """The value of the expression that begins the text, and the index behind it."""
    parser = _Parser(text, names, depth)
    return parser.expression(), parser.position


class _Parser:
    """Reads one expression from left to right."""

    def __init__(self, text: Placed, names: JustNames, depth: int) -> None:
        self._text = text
        self._names = names
        self._depth = depth
        self._brackets = 0
        self.position = 0

    def expression(self) -> Atoms:
        """A condition or a sum of values."""
        self._skip()
        if self._word() == "if":
            return self._choice()
        atoms = self._value()
        while True:
            self._skip()
            match = _OPERATOR.match(self._text.text, self.position)
            if match is None or match[0] in {"==", "!=", "=~", "!~"}:
                return atoms
            self.position = match.end()
            place = self._text.cut(match.start(), match.end())
            right = self._value()
            atoms = self._combined(match[0], atoms, right, place)

    def _combined(self, operator: str, left: Atoms, right: Atoms, place: Placed) -> Atoms:
        if operator == "/":
            return (*left, Atom(text=place.standing_for("/")), *right)
        if operator == "+":
            return (*left, *right)
        return self._hidden(place)

    def _skip(self) -> None:
        pattern = _LONG_GAP if self._brackets else _GAP
        match = pattern.match(self._text.text, self.position)
        self.position = match.end() if match else self.position

    def _word(self) -> str:
        match = _NAME.match(self._text.text, self.position)
        return match[0] if match else ""

    def _accept(self, sign: str) -> bool:
        self._skip()
        if not self._text.text.startswith(sign, self.position):
            return False
        self.position += len(sign)
        return True

    def _hidden(self, place: Placed, source: str = "") -> Atoms:
        return (Atom(text=None, source=source or place.text),)

    def _value(self) -> Atoms:
        self._skip()
        start = self.position
        text = self._text.text
        if self._depth > MAX_DEPTH or start >= len(text) or not self._names.budget.spend():
            self.position = len(text)
            return self._hidden(self._text.cut(start, len(text)))
        string = _STRING.match(text, start)
        if string is not None:
            self.position = string.end()
            return self._string(string)
        backtick = _BACKTICK.match(text, start)
        if backtick is not None:
            self.position = backtick.end()
            return self._hidden(self._text.cut(start, self.position))
        if text[start] == "(":
            self.position += 1
            return self._bracketed(")")
        name = self._word()
        if not name:
            self.position += 1
            return self._hidden(self._text.cut(start, self.position))
        self.position += len(name)
        return self._call(name, start) if self._accept("(") else self._named(name, start)

    def _bracketed(self, closing: str) -> Atoms:
        self._brackets += 1
        self._depth += 1
        atoms = self.expression()
        self._accept(closing)
        self._brackets -= 1
        self._depth -= 1
        return atoms

    def _string(self, match: re.Match[str]) -> Atoms:
        group = next(index for index in range(3, 7) if match[index] is not None)
        body = self._text.cut(match.start(group), match.end(group))
        if group in {3, 4}:
            body = _dedented(body)
        if group in {4, 6}:
            body = _unescaped(body)
        if match[1]:
            return self._hidden(body)  # `x'...'` is expanded by the shell, `f'...'` holds expressions
        return (Atom(text=body),)

    def _named(self, name: str, start: int) -> Atoms:
        if name in self._names.parameters:
            return self._names.parameters[name]
        expression = self._names.expressions.get(name)
        if expression is None:
            return self._hidden(self._text.cut(start, start + len(name)), name)
        atoms = evaluate(expression, self._names, self._depth + 1)[0]
        self._names.budget.spend(len(atoms))
        return within_limits(atoms, name)

    def _call(self, name: str, start: int) -> Atoms:
        self._brackets += 1
        self._depth += 1
        arguments: list[Atoms] = []
        while self.position < len(self._text) and not self._accept(")"):
            arguments.append(self.expression())
            self._accept(",")
        self._brackets -= 1
        self._depth -= 1
        return self._function(name, arguments, self._text.cut(start, self.position))

    def _function(self, name: str, arguments: list[Atoms], place: Placed) -> Atoms:
        known = [_known(atoms) for atoms in arguments]
        if name in {"env_var_or_default", "env"} and len(arguments) > 1:
            return replaceable(arguments[1], known[0] or place.text, place)
        if name in {"env_var", "env"} and arguments:
            return self._hidden(place, known[0] or "")
        if name == "join" and arguments:
            return _listed(arguments, place.cut(0, 0).standing_for("/"))
        texts = [text for text in known if text is not None]
        change = _FUNCTIONS.get(name)
        if change is None or len(texts) < len(known) or not texts:
            return self._hidden(place)
        try:
            return (Atom(text=place.standing_for(change(texts))),)
        except IndexError:
            return self._hidden(place)

    def _choice(self) -> Atoms:
        """`if a == b { x } else { y }`; two known sides decide it."""
        start = self.position
        self.position += len("if")
        self._brackets += 1
        left = _known(self.expression())
        self._skip()
        operator = self._text.text[self.position : self.position + 2]
        self.position += 2
        right = _known(self.expression())
        self._accept("{")
        then = self._bracketed("}")
        self._accept("else")
        self._skip()
        if self._word() == "if":
            otherwise = self._choice()
        else:
            self._accept("{")
            otherwise = self._bracketed("}")
        self._brackets -= 1
        if operator in _SIGNS and left is not None and right is not None:
            return then if (left == right) is _SIGNS[operator] else otherwise
        span = self._text.cut(start, start + 1).span()
        decision = Decision(place=f"{span.line}:{span.column}", outcomes=2)
        return (*_under(then, decision, 0), *_under(otherwise, decision, 1))


def _under(atoms: Atoms, decision: Decision, outcome: int) -> Atoms:
    return tuple(replace(atom, guard=atom.guard | {(decision, outcome)}) for atom in atoms)


def _known(atoms: Atoms) -> str | None:
    texts = [
        atom.text.text for atom in atoms if atom.text is not None and not atom.guard and not atom.replaceable
    ]
    return "".join(texts) if len(texts) == len(atoms) else None


def _listed(parts: list[Atoms], separator: Placed) -> Atoms:
    atoms: list[Atom] = []
    for part in parts:
        if atoms:
            atoms.append(Atom(text=separator))
        atoms.extend(part)
    return tuple(atoms)


def _unescaped(text: Placed) -> Placed:
    parts: list[Placed] = []
    start = 0
    for match in _ESCAPE.finditer(text.text):
        place = text.cut(match.start(), match.end())
        sign = (
            chr(min(int(match[1], 16), 0x10FFFF))
            if match[1]
            else _ESCAPES.get(match[3] or "", match[3] or "")
        )
        parts += [text.cut(start, match.start()), place.standing_for(sign) if sign else place.cut(0, 0)]
        start = match.end()
    return joined([*parts, text.cut(start, len(text))], text)


def _dedented(text: Placed) -> Placed:
    """An indented string: the first line break and the indentation that all lines share go."""
    start = 1 if text.text.startswith("\n") else 0
    lines = text.text[start:].split("\n")
    widths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    indent = min(widths, default=0)
    if not start and not indent:
        return text
    parts: list[Placed] = []
    position = start
    for line in lines:
        end = min(position + len(line) + 1, len(text))
        parts.append(text.cut(min(position + indent, position + len(line)), end))
        position = end
    return joined(parts, text)


_FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "uppercase": lambda texts: texts[0].upper(),
    "lowercase": lambda texts: texts[0].lower(),
    "trim": lambda texts: texts[0].strip(),
    "replace": lambda texts: texts[0].replace(texts[1], texts[2]),
    "quote": lambda texts: "'" + texts[0].replace("'", "'\\''") + "'",
    "append": lambda texts: " ".join(word + texts[0] for word in texts[1].split()),
    "prepend": lambda texts: " ".join(texts[0] + word for word in texts[1].split()),
    "file_name": lambda texts: texts[0].rpartition("/")[2],
    "parent_directory": lambda texts: texts[0].rpartition("/")[0],
    "without_extension": lambda texts: re.sub(r"\.[^./]*$", "", texts[0]),
    "trim_end_match": lambda texts: texts[0].removesuffix(texts[1]),
    "trim_start_match": lambda texts: texts[0].removeprefix(texts[1]),
}
