"""Variables of a shell as far as the file tells them, and how the branches of a conditional join again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import MAX_WORLDS, Decision, Guard, contradicts
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variable:
    """A scalar (`atoms`) or an array (`elements`, with `keys` if it is associative).

    `is_unset`: the file says that there is no such variable. `is_open`: an array with more elements than the
    file shows.
    """

    atoms: tuple[Atom, ...] = ()
    elements: tuple[Word, ...] | None = None
    keys: tuple[str, ...] | None = None
    is_unset: bool = False
    is_open: bool = False


UNSET = Variable(is_unset=True)


def unknown(name: str) -> Variable:
    """A variable whose text the file does not tell."""
    return Variable(atoms=(Atom(text=None, source=name),))


@dataclass(slots=True, eq=False)
class Scope:
    """The variables at one point of a script. `positionals` None: the arguments are not known.

    `touched` are the names assigned since the scope was forked; `alive` is False after `exit`.
    """

    variables: dict[str, Variable] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    positionals: tuple[Word, ...] | None = None
    touched: set[str] = field(default_factory=set)
    alive: bool = True

    def fork(self) -> Scope:
        """A copy that can be changed alone."""
        return Scope(dict(self.variables), set(self.exported), self.positionals, set(), self.alive)

    def set(self, name: str, variable: Variable) -> None:
        """Give a variable another value."""
        self.variables[name] = variable
        self.touched.add(name)

    def visible_outside(self) -> Scope:
        """What a program started here sees: the exported variables."""
        kept = {name: self.variables[name] for name in self.exported if name in self.variables}
        return Scope(kept, set(self.exported), ())


def replaceable(variable: Variable) -> Variable:
    """The variable as a default that something outside the file can replace."""
    return replace(variable, atoms=tuple(replace(atom, replaceable=True) for atom in variable.atoms))


def under(variable: Variable, guard: Guard) -> Variable:
    """The variable as it is where `guard` holds; every part of it carries the guard."""
    if not guard:
        return variable
    elements = variable.elements
    if elements is not None:
        elements = tuple(_word_under(word, guard) for word in elements)
    atoms = tuple(
        replace(atom, guard=atom.guard | guard)
        for atom in variable.atoms
        if not contradicts(atom.guard, guard)
    )
    return replace(variable, atoms=atoms, elements=elements)


def _word_under(word: Word, guard: Guard) -> Word:
    guards = tuple(one | guard for one in word.guards if not contradicts(one, guard))
    return replace(word, guards=guards) if guards else word


def chosen(variable: Variable, decision: Decision, outcome: int) -> Variable:
    """The variable as it is once a decision has been taken."""
    pair = (decision, outcome)
    guard = frozenset({pair})
    atoms = tuple(
        replace(atom, guard=atom.guard - {pair}) if pair in atom.guard else atom
        for atom in variable.atoms
        if not contradicts(atom.guard, guard)
    )
    elements = variable.elements
    if elements is not None:
        elements = tuple(_chosen_word(word, guard) for word in elements if _can_be(word, guard))
    return replace(variable, atoms=atoms, elements=elements)


def _can_be(word: Word, guard: Guard) -> bool:
    return any(not contradicts(one, guard) for one in word.guards)


def _chosen_word(word: Word, guard: Guard) -> Word:
    guards = tuple(one - guard for one in word.guards if not contradicts(one, guard))
    atoms = tuple(
        replace(atom, guard=atom.guard - guard) for atom in word.atoms if not contradicts(atom.guard, guard)
    )
    return replace(word, guards=guards, atoms=atoms)


def joined_variable(ways: list[Variable], decision: Decision) -> Variable:
    """One variable for the outcomes of a decision: what they share is there always, the rest under guards."""
    first = ways[0]
    if all(way is first for way in ways):
        return first
    guards = [frozenset({(decision, outcome)}) for outcome in range(len(ways))]
    if any(way.elements is not None for way in ways):
        return _joined_arrays(ways, guards)
    rows = [way.atoms for way in ways]
    start, end = _shared(rows)
    middle = [
        replace(atom, guard=atom.guard | guard)
        for row, guard in zip(rows, guards, strict=True)
        for atom in row[start : len(row) - end]
    ]
    atoms = (*rows[0][:start], *middle, *rows[0][len(rows[0]) - end :])
    return Variable(atoms=atoms, is_unset=all(way.is_unset for way in ways))


def _joined_arrays(ways: list[Variable], guards: list[Guard]) -> Variable:
    rows = [_as_elements(way) for way in ways]
    start, end = _shared(rows)
    middle = [
        _word_under(word, guard)
        for row, guard in zip(rows, guards, strict=True)
        for word in row[start : len(row) - end]
    ]
    elements = (*rows[0][:start], *middle, *rows[0][len(rows[0]) - end :])
    return Variable(elements=elements, is_open=any(way.is_open for way in ways))


def _as_elements(variable: Variable) -> tuple[Word, ...]:
    if variable.elements is not None:
        return variable.elements
    texts = [atom.text for atom in variable.atoms if atom.text is not None]
    return (Word(atoms=variable.atoms, place=texts[0]),) if texts else ()


def _shared(rows: list[tuple[Atom, ...]] | list[tuple[Word, ...]]) -> tuple[int, int]:
    """How many items all rows share at their start and at their end."""
    shortest = min(map(len, rows))
    start = 0
    while start < shortest and all(row[start] is rows[0][start] for row in rows):
        start += 1
    end = 0
    while end < shortest - start and all(row[-1 - end] is rows[0][-1 - end] for row in rows):
        end += 1
    return start, end


def join_scopes(base: Scope, ways: list[Scope], place: str, missing: Callable[[str], Variable]) -> Scope:
    """The scope after a decision whose living outcomes end in `ways`; dead if there are none.

    All ways were forked from `base`. `missing` gives the variable that a way lacks.
    """
    living = [way for way in ways if way.alive]
    if len(living) <= 1:
        only = living[0] if living else Scope(dict(base.variables), alive=False)
        only.touched = only.touched | base.touched
        return only
    joined = living[0].fork()
    names = set().union(*(way.touched for way in living))
    decision = Decision(place, len(living))
    for name in sorted(names):
        values = [way.variables.get(name) for way in living]
        if all(value is values[0] for value in values):
            continue
        if len(living) > MAX_WORLDS:
            joined.variables[name] = unknown(name)
            continue
        known = [missing(name) if value is None else value for value in values]
        joined.variables[name] = joined_variable(known, decision)
    joined.touched = names | base.touched
    joined.exported = set().union(*(way.exported for way in living))
    if any(way.positionals is not living[0].positionals for way in living):
        joined.positionals = None
    return joined
