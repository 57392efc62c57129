"""Recipe lines of a Makefile: expanded with the variables of their target and read as shell."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Decision, Guard
from perfgate.config.found import Found, merged
from perfgate.config.make_expand import Expander, known_text
from perfgate.config.make_functions import MAKE_FUNCTIONS, arguments_of
from perfgate.config.programs import base_name
from perfgate.config.running import run_pieces, unsupported_shell
from perfgate.config.spans import Placed, joined
from perfgate.config.wrappers import SHELLS

if TYPE_CHECKING:
    from perfgate.config.embedded import Budget, Expansion, TextPiece
    from perfgate.config.make_variables import Variables
    from perfgate.config.words import Atom

MAX_CANNED = 4  # canned recipes inside canned recipes
_PREFIX = re.compile(r"[\s@+-]*")
_QUIET = re.compile(r"(?:Q|QUIET|AT|V|SILENT|VERBOSE|HIDE|ECHO)")  # customary names for `@` or nothing
_CANNED = re.compile(r"[\s@+-]*\$[({](call\s+)?([\w.-]+)(?:,(.*))?[)}]\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recipe:
    """A logical recipe line with the targets of its rule and the conditionals around it."""

    text: Placed
    targets: tuple[str, ...]
    guard: Guard = ALWAYS

    def followed_by(self, text: Placed) -> Recipe:
        """One script of two lines, for `.ONESHELL`."""
        line_end = self.text.cut(len(self.text), len(self.text)).standing_for("\n")
        return replace(self, text=joined([self.text, line_end, text], self.text))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecipeContext:
    """What a recipe line sees: variables, those that are exported, and the names given by `define`."""

    variables: Variables
    exported: frozenset[str]
    canned: frozenset[str]
    budget: Budget


def read_recipe(recipe: Recipe, context: RecipeContext) -> Found:
    """The facts of one recipe line."""
    expander = Expander(
        variables=context.variables, functions=MAKE_FUNCTIONS, given=recipe.guard, budget=context.budget
    )
    return _line(recipe.text, expander, context, " ".join(recipe.targets))


def _line(text: Placed, expander: Expander, context: RecipeContext, target: str) -> Found:
    canned = _CANNED.fullmatch(text.text)
    if canned is not None and canned[2] in context.canned and expander.depth < MAX_CANNED:
        return _canned(text, canned, expander, (context, target))
    shell = _shell(expander)
    if shell not in SHELLS:
        return unsupported_shell(text, shell)
    variables = {
        name: expander.named(name, text) for name in context.exported if name in context.variables.known
    }
    return run_pieces(_without_prefix(expander.pieces(text)), variables, context=target)


def _canned(
    text: Placed, match: re.Match[str], expander: Expander, around: tuple[RecipeContext, str]
) -> Found:
    """Each line of a `define` is a recipe line of its own."""
    context, target = around
    inner = replace(expander, depth=expander.depth + 1)
    if match[1] and match[3] is not None:
        values = arguments_of(text.cut(match.start(3), match.end(3)))
        bound = {str(index): expander.atoms(value) for index, value in enumerate(values, start=1)}
        inner = replace(inner, arguments=expander.arguments | bound)
    parts: list[Found] = []
    for chunk in context.variables.known[match[2]].chunks:
        if chunk.raw is not None:
            parts += [_line(line, inner, context, target) for line in _lines(chunk.raw)]
    return merged(parts)


def _lines(text: Placed) -> list[Placed]:
    """The logical lines of a `define`; continuations are left to the shell."""
    lines: list[Placed] = []
    start = position = 0
    while position <= len(text):
        end = text.text.find("\n", position)
        end = len(text) if end < 0 else end
        before = text.text[start:end]
        if (len(before) - len(before.rstrip("\\"))) % 2 and end < len(text):
            position = end + 1
            continue
        lines.append(text.cut(start, end))
        start = position = end + 1
    return lines


def _shell(expander: Expander) -> str:
    variable = expander.variables.known.get("SHELL")
    if variable is None or not variable.chunks:
        return "sh"
    chunk = variable.chunks[-1]
    words = (known_text(expander.chunk_atoms(chunk)) or "sh").split()
    names = [base_name(word) for word in words if not word.startswith("-")]
    return names[1] if names[:1] == ["env"] and len(names) > 1 else (names or ["sh"])[0]


def _without_prefix(pieces: list[TextPiece]) -> list[TextPiece]:
    """The line without `@`, `-` and `+` in front, also where a variable gives them."""
    rest = list(pieces)
    while rest:
        first = rest[0]
        if isinstance(first, Placed):
            match = _PREFIX.match(first.text)
            left = first.cut(match.end() if match else 0, len(first))
            if len(left):
                return [left, *rest[1:]]
            rest.pop(0)
            continue
        if not _is_prefix(first):
            return rest
        rest.pop(0)
    return rest


def _is_prefix(piece: Expansion) -> bool:
    name = piece.place.text.strip("$(){}")
    return all(_gives_prefix(atom, name) for atom in piece.atoms)


def _gives_prefix(atom: Atom, name: str) -> bool:
    if atom.text is None:
        return _QUIET.fullmatch(name) is not None
    return _PREFIX.fullmatch(atom.text.text) is not None


def place_decision(text: Placed) -> Decision:
    """The decision whether something at this place takes part."""
    span = text.span()
    return Decision(place=f"{span.line}:{span.column}", outcomes=2)
