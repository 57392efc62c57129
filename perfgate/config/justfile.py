"""justfiles: recipes with their parameters and variables, linewise or as scripts, and exported variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.config.embedded import MAX_TEXT, Expansion, TextPiece
from perfgate.config.found import Found, merged
from perfgate.config.just_expression import Atoms, JustNames, evaluate
from perfgate.config.programs import base_name
from perfgate.config.python_file import read_python_text
from perfgate.config.readers import interpreter_of
from perfgate.config.running import run_pieces, unsupported_shell
from perfgate.config.setting_pairs import pair_settings, replaceable
from perfgate.config.spans import Placed, joined
from perfgate.config.words import Atom
from perfgate.config.wrappers import PYTHONS, SHELLS

if TYPE_CHECKING:
    from perfgate.config.spans import Source

_ASSIGNMENT = re.compile(r"(export\s+)?([A-Za-z_][\w-]*)\s*:=\s*")
_SETTING = re.compile(r"set\s+([a-z-]+)(?:\s*:=\s*(.*))?\s*$", re.DOTALL)
_NAME = re.compile(r"@?([A-Za-z_][\w-]*)")
_HEAD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|`[^`]*`|[:#]")
_PARAMETER = re.compile(r"\s*([*+]?)(\$?)([A-Za-z_][\w-]*)\s*(=?)\s*")
_PREFIX = re.compile(r"\s*[@-]*\s*")
_ATTRIBUTE = re.compile(r"\[(.*)\]\s*$")
_FIRST_STRING = re.compile(r"[\"']([^\"']*)[\"']")


@dataclass(slots=True, eq=False)
class _Recipe:
    name: str
    header: Placed
    lines: list[Placed] = field(default_factory=list)
    script: str = ""


@dataclass(slots=True, eq=False)
class _File:
    expressions: dict[str, Placed] = field(default_factory=dict)
    exported: list[Placed] = field(default_factory=list)
    recipes: list[_Recipe] = field(default_factory=list)
    shell: str = "sh"
    exports_all: bool = False


def read_justfile(source: Source) -> Found:
    """The facts of a justfile."""
    file = _parsed(source)
    names = JustNames(expressions=file.expressions)
    pairs = [(name, evaluate(file.expressions[name.text], names)[0]) for name in file.exported]
    exported = set(file.expressions) if file.exports_all else {name.text for name in file.exported}
    recipes = [_recipe(recipe, file, names, exported) for recipe in file.recipes]
    return merged([*pair_settings(pairs), *recipes])


def _parsed(source: Source) -> _File:
    """The top level of the file; the lines of a recipe are those that are indented behind its head."""
    file = _File()
    whole = source.whole()
    lines = [whole.cut(start, end - 1) for start, end in pairwise([*source.line_starts, len(whole) + 1])]
    script = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if not line.text.strip() or line.text[0] in "# \t":
            continue
        attribute = _ATTRIBUTE.match(line.text)
        if attribute is not None:
            script = _script_program(attribute[1]) or script
            continue
        assignment = _ASSIGNMENT.match(line.text)
        if assignment is not None:
            index += _assign(file, whole, line, assignment)
        else:
            index += _other(file, lines, index, script)
        script = ""
    return file


def _script_program(attribute: str) -> str:
    match = re.search(r"script\s*(?:\(\s*[\"']([^\"']*))?", attribute)
    return (match[1] or "sh") if match else ""


def _other(file: _File, lines: list[Placed], index: int, script: str) -> int:
    """A setting or the head of a recipe; the number of further lines that belong to it."""
    line = lines[index - 1]
    setting = _SETTING.match(line.text)
    if setting is not None:
        _set(file, setting[1], setting[2])
        return 0
    name = _NAME.match(line.text)
    colon = _head_end(line.text)
    if name is None or colon < name.end() or line.text.startswith(("import ", "mod ", "alias ")):
        return 0
    found = _Recipe(name[1], line.cut(name.end(), colon), script=script)
    count = index
    while count < len(lines) and (not lines[count].text.strip() or lines[count].text[0] in " \t"):
        found.lines.append(lines[count])
        count += 1
    file.recipes.append(found)
    return count - index


def _head_end(text: str) -> int:
    """The index of the colon behind the name and the parameters of a recipe, or -1."""
    for match in _HEAD.finditer(text):
        if match[0] == ":":
            return -1 if text.startswith("=", match.end()) else match.start()
        if match[0] == "#":
            return -1
    return -1


def _assign(file: _File, whole: Placed, line: Placed, match: re.Match[str]) -> int:
    start = line.offset(0) + match.end()
    expression = whole.cut(start, min(start + MAX_TEXT, len(whole)))
    _, end = evaluate(expression, JustNames())
    name = line.cut(match.start(2), match.end(2))
    file.expressions[name.text] = expression.cut(0, end)
    if match[1]:
        file.exported.append(name)
    return expression.text.count("\n", 0, end)


def _set(file: _File, name: str, value: str | None) -> None:
    if name == "shell" and value:
        program = _FIRST_STRING.search(value)
        file.shell = base_name(program[1]) if program else file.shell
    elif name == "export":
        file.exports_all = value is None or value.strip() == "true"


def _recipe(recipe: _Recipe, file: _File, names: JustNames, exported: set[str]) -> Found:
    parameters, exported_parameters = _parameters(recipe.header, names)
    inner = names.with_parameters(parameters)
    variables = {name: evaluate(file.expressions[name], names)[0] for name in exported}
    shown = parameters if file.exports_all else {name: parameters[name] for name in exported_parameters}
    variables |= shown
    filled = [line for line in recipe.lines if line.text.strip()]
    first = filled[0].text.strip() if filled else ""
    program = recipe.script or interpreter_of(first)
    if program:
        text = _dedented(recipe.lines)
        if base_name(program) in PYTHONS:
            return read_python_text(text)
        return _shell_text(text, base_name(program), inner, (variables, recipe.name))
    parts = []
    for line in _logical(recipe.lines):
        match = _PREFIX.match(line.text)
        text = line.cut(match.end() if match else 0, len(line))
        parts.append(_shell_text(text, file.shell, inner, (variables, recipe.name)))
    return merged(parts)


def _shell_text(text: Placed, shell: str, names: JustNames, around: tuple[dict[str, Atoms], str]) -> Found:
    if shell in SHELLS:
        return run_pieces(_pieces(text, names), around[0], context=around[1])
    return unsupported_shell(text, shell)


def _parameters(header: Placed, names: JustNames) -> tuple[dict[str, Atoms], list[str]]:
    """Values of parameters: callers may give any, a default can be replaced, `*` and `+` take any number."""
    found: dict[str, Atoms] = {}
    exported: list[str] = []
    position = 0
    while (match := _PARAMETER.match(header.text, position)) is not None:
        name, position = match[3], match.end()
        atoms: Atoms = (Atom(text=None, source=name),)
        if match[4]:
            rest = header.cut(position, len(header))
            default, end = evaluate(rest, names.with_parameters(found))
            position += end
            atoms = replaceable(default, name, rest)
            if match[1]:
                blank = Atom(text=rest.cut(0, 0).standing_for(" "))
                atoms = (*atoms, blank, Atom(text=None, source=name))
        found[name] = atoms
        exported += [name] if match[2] else []
    return found, exported


def _logical(lines: list[Placed]) -> list[Placed]:
    """Recipe lines joined at backslashes; the shell gets the continuation."""
    found: list[Placed] = []
    whole = lines[0].source.whole() if lines else None
    first: Placed | None = None
    for line in lines:
        first = first if first is not None else line
        if (len(line.text) - len(line.text.rstrip("\\"))) % 2 or whole is None:
            continue
        found.append(whole.cut(first.offset(0), line.offset(len(line))))
        first = None
    return found


def _dedented(lines: list[Placed]) -> Placed:
    """A script without the indentation that its lines share."""
    widths = [len(line.text) - len(line.text.lstrip()) for line in lines if line.text.strip()]
    indent = min(widths, default=0)
    parts: list[Placed] = []
    for line in lines:
        body = line.cut(min(indent, len(line)), len(line)) if line.text.strip() else line.cut(0, 0)
        parts += [body, line.cut(len(line), len(line)).standing_for("\n")]
    return joined(parts, lines[0])


def _pieces(text: Placed, names: JustNames) -> list[TextPiece]:
    """Text with `{{expression}}` as expansions and `{{{{` as two braces."""
    pieces: list[TextPiece] = []
    position = 0
    while (start := text.text.find("{{", position)) >= 0:
        pieces.append(text.cut(position, start))
        if text.text.startswith("{{{{", start):
            pieces.append(text.cut(start, start + 4).standing_for("{{"))
            position = start + 4
            continue
        inner = text.cut(start + 2, len(text))
        atoms, end = evaluate(inner, names)
        closing = inner.text.find("}}", end)
        position = start + 2 + (closing + 2 if closing >= 0 else len(inner))
        pieces.append(Expansion(atoms=atoms, place=text.cut(start, position)))
    pieces.append(text.cut(position, len(text)))
    return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)]
