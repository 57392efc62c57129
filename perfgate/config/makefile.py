"""Makefiles: recipes with what variables and functions put into them, and exported variables.

Recipes are expanded when Make runs them, so they see the last state of each variable; text behind `:=` sees
the state at its line. What conditionals (`ifeq`) decide is left open: the command line can change it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision, Guard
from perfgate.config.embedded import Budget, unknown
from perfgate.config.facts import EnvOperation
from perfgate.config.found import Found, merged
from perfgate.config.make_expand import Expander
from perfgate.config.make_functions import MAKE_FUNCTIONS
from perfgate.config.make_lines import MakeLine, make_lines, rule_colon
from perfgate.config.make_recipes import Recipe, RecipeContext, place_decision, read_recipe
from perfgate.config.make_variables import Assignment, Chunk, Variables
from perfgate.config.settings import read_setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.spans import Placed, Source

_MODIFIERS = r"(?:(?:export|override|private|unexport)\s+)*"
_ASSIGNED = re.compile(rf"\s*({_MODIFIERS})([^\s:#=+?!]+)\s*(:::=|::=|:=|\+=|\?=|!=|=)[ \t]*")
_CONDITIONAL = re.compile(
    r"\s*(?:(ifeq|ifneq|ifdef|ifndef)\b|(else)\b\s*(?:ifeq|ifneq|ifdef|ifndef)?|(endif)\b)"
)
_DEFINE = re.compile(rf"\s*({_MODIFIERS})define\s+(\S+)\s*(:::=|::=|:=|\+=|\?=|=)?\s*$")
_ENDEF = re.compile(r"\s*endef\b")
_OPERATIONS = {"+=": EnvOperation.APPEND, "?=": EnvOperation.DEFAULT}
_EXPORT = re.compile(r"\s*export\b\s*([^=]*)$")


@dataclass(slots=True, eq=False)
class _Conditional:
    """An open `ifeq` block: where it stands and which of its arms is being read."""

    place: str
    outcomes: int
    arm: int = 0


@dataclass(slots=True, eq=False)
class _Facts:
    """What the lines of the file say before any recipe is expanded."""

    variables: Variables = field(default_factory=Variables)
    settings: list[Assignment] = field(default_factory=list)
    for_targets: list[Assignment] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    exports_all: bool = False
    one_shell: bool = False
    budget: Budget = field(default_factory=Budget)


def read_makefile(source: Source) -> Found:
    """The facts of a Makefile."""
    reader = _Reader(list(make_lines(source)))
    reader.read()
    facts = reader.facts
    return merged([*_settings(facts), *(_recipe_facts(facts, recipe) for recipe in facts.recipes)])


def _settings(facts: _Facts) -> Iterator[Found]:
    """The watched variables that are exported; the variable's own earlier text is what it is added to."""
    for assignment in (*facts.settings, *facts.for_targets):
        name = assignment.name.text
        if name not in assignment.name.source.watch.variables or not (
            facts.exports_all or name in facts.exported
        ):
            continue
        others = Variables({key: value for key, value in facts.variables.known.items() if key != name})
        expander = Expander(variables=others, functions=MAKE_FUNCTIONS, given=assignment.guard)
        atoms = expander.atoms(assignment.raw)
        rest = tuple(atom for atom in atoms if atom.text is not None or atom.source != name)
        operation = _OPERATIONS.get(assignment.operator, EnvOperation.SET)
        if len(rest) < len(atoms):
            operation = EnvOperation.APPEND
        if operation is EnvOperation.DEFAULT:
            rest = tuple(replace(atom, replaceable=True) for atom in rest)
        yield read_setting(assignment.name, rest, operation)


def _recipe_facts(facts: _Facts, recipe: Recipe) -> Found:
    """A recipe sees the variables of its own targets; those of others reach it as a prerequisite, or not."""
    variables = facts.variables.copy()
    for assignment in facts.for_targets:
        guard = assignment.guard
        if not set(assignment.targets) & set(recipe.targets):
            guard |= {(place_decision(assignment.name), 0)}
        chunk = _chunk(variables, replace(assignment, guard=guard))
        variables.assign(assignment.name.text, assignment.operator, chunk)
    exported = variables.known if facts.exports_all else facts.exported
    context = RecipeContext(
        variables=variables,
        exported=frozenset(exported),
        canned=frozenset(facts.defined),
        budget=facts.budget,
    )
    return read_recipe(recipe, context)


class _Reader:
    """Goes through the logical lines once and keeps assignments, rules and recipes."""

    def __init__(self, lines: list[MakeLine]) -> None:
        self._lines = lines
        self._counts = _arm_counts(lines)
        self._open: list[_Conditional] = []
        self._targets: tuple[str, ...] = ()
        self._defining: tuple[Assignment, list[Placed]] | None = None
        self.facts = _Facts()

    @property
    def _guard(self) -> Guard:
        return frozenset((Decision(block.place, block.outcomes), block.arm) for block in self._open)

    def read(self) -> None:
        """Reads all lines."""
        for index, line in enumerate(self._lines):
            if self._defining is not None:
                self._define_line(line)
            elif line.is_recipe:
                self._recipe_line(line.text)
            elif not self._conditional(line, index):
                self._plain(line.text)

    def _conditional(self, line: MakeLine, index: int) -> bool:
        match = _CONDITIONAL.match(line.text.text)
        if match is None:
            return False
        if match[1]:
            span = line.text.span()
            self._open.append(_Conditional(f"{span.line}:{span.column}", self._counts.get(index, 2)))
        elif match[2] and self._open:
            self._open[-1].arm += 1
        elif match[3] and self._open:
            self._open.pop()
        return True

    def _recipe_line(self, text: Placed) -> None:
        recipe = Recipe(text=text, targets=self._targets, guard=self._guard)
        if self.facts.recipes and self.facts.one_shell and self.facts.recipes[-1].targets is self._targets:
            self.facts.recipes[-1] = self.facts.recipes[-1].followed_by(text)
        else:
            self.facts.recipes.append(recipe)

    def _plain(self, text: Placed) -> None:
        define = _DEFINE.match(text.text)
        if define is not None:
            self._begin_define(text, define)
            return
        assigned = _ASSIGNED.match(text.text)
        if assigned is not None:
            self._assign(self._assignment(text, assigned, ()))
            return
        export = _EXPORT.match(text.text)
        if export is not None:
            self.facts.exported |= set(export[1].split())
            self.facts.exports_all |= not export[1].strip()
            return
        colon = rule_colon(text.text)
        if colon >= 0:
            self._rule(text, colon)

    def _begin_define(self, text: Placed, match: re.Match[str]) -> None:
        name = text.cut(match.start(2), match.end(2))
        assignment = Assignment(
            name=name,
            operator=match[3] or "=",
            raw=text.cut(len(text), len(text)),
            guard=self._guard,
            is_exported="export" in match[1],
        )
        self._defining = (assignment, [])

    def _define_line(self, line: MakeLine) -> None:
        if self._defining is None:
            return
        assignment, lines = self._defining
        if _ENDEF.match(line.text.text) is None:
            lines.append(line.text)
            return
        self._defining = None
        self.facts.defined.add(assignment.name.text)
        if lines:
            whole = lines[0].source.whole()
            raw = whole.cut(lines[0].offset(0), lines[-1].offset(len(lines[-1])))
            assignment = replace(assignment, raw=raw)
        self._assign(assignment)

    def _assignment(self, text: Placed, match: re.Match[str], targets: tuple[str, ...]) -> Assignment:
        value = text.cut(match.end(), len(text))
        return Assignment(
            name=text.cut(match.start(2), match.end(2)),
            operator=match[3],
            raw=value.cut(0, len(value.text.rstrip())),
            guard=self._guard,
            is_exported=bool(re.search(r"(?<!un)export\b", match[1])),
            targets=targets,
        )

    def _assign(self, assignment: Assignment) -> None:
        name, facts = assignment.name.text, self.facts
        if assignment.is_exported:
            facts.exported.add(name)
        if assignment.targets:
            facts.for_targets.append(assignment)
            return
        if name in assignment.name.source.watch.variables:
            facts.settings.append(assignment)
        facts.variables.assign(name, assignment.operator, _chunk(facts.variables, assignment))

    def _rule(self, text: Placed, colon: int) -> None:
        self._targets = tuple(text.text[:colon].split())
        facts = self.facts
        facts.one_shell |= ".ONESHELL" in self._targets
        facts.exports_all |= ".EXPORT_ALL_VARIABLES" in self._targets
        rest = text.cut(colon + (2 if text.text.startswith("::", colon) else 1), len(text))
        assigned = _ASSIGNED.match(rest.text)
        if assigned is not None:
            self._assign(self._assignment(rest, assigned, self._targets))
            return
        start = rest.text.find(";")
        if start >= 0:
            self._recipe_line(rest.cut(start + 1, len(rest)))


def _arm_counts(lines: list[MakeLine]) -> dict[int, int]:
    """How many ways each conditional has; without a plain `else` one more, on which nothing happens."""
    counts: dict[int, int] = {}
    stack: list[tuple[int, int, bool]] = []
    for index, line in enumerate(lines):
        match = None if line.is_recipe else _CONDITIONAL.match(line.text.text)
        if match is None:
            continue
        if match[1]:
            stack.append((index, 1, False))
        elif match[2] and stack:
            start, arms, _ = stack.pop()
            is_plain = re.fullmatch(r"\s*else\s*", line.text.text) is not None
            stack.append((start, arms + 1, is_plain))
        elif match[3] and stack:
            start, arms, has_else = stack.pop()
            counts[start] = arms if has_else else arms + 1
    return counts


def _chunk(variables: Variables, assignment: Assignment) -> Chunk:
    """The text that an assignment gives; expanded at once where Make does so."""
    adds_at_once = assignment.operator == "+=" and variables.is_simple(assignment.name.text)
    if assignment.operator == "!=":
        return Chunk(guard=assignment.guard, pieces=(unknown(assignment.name.text, assignment.raw),))
    if not adds_at_once and assignment.operator not in {":=", "::=", ":::="}:
        return Chunk(guard=assignment.guard, raw=assignment.raw)
    expander = Expander(variables=variables, functions=MAKE_FUNCTIONS, given=assignment.guard)
    return Chunk(guard=assignment.guard, pieces=tuple(expander.pieces(assignment.raw)))
