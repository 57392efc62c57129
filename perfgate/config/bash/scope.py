"""Variables of a shell as far as the file tells them, and how the branches of a conditional join again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import MAX_WORLDS, Decision, Guard, contradicts
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


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


MAX_PIECES = 512  # atoms or elements of one variable; beyond that its text is unknown
MAX_GUARD = 12  # decisions that one piece depends on; nobody nests conditionals deeper around one value
UNSET = Variable(is_unset=True)


def unknown(name: str) -> Variable:
    """A variable whose text the file does not tell."""
    return Variable(atoms=(Atom(text=None, source=name),))


@dataclass(slots=True, eq=False)
class Scope:
    """The variables at one point of a script: its `own`, then those of the scope it was forked from.

    `positionals` None: the arguments are not known. `alive` is False after `exit`. `reads`, where it is set,
    gathers the names that were looked up below this scope and not found there.
    """

    own: dict[str, Variable] = field(default_factory=dict)
    parent: Scope | None = None
    exports: set[str] = field(default_factory=set)
    positionals: tuple[Word, ...] | None = None
    alive: bool = True
    reads: set[str] | None = None

    def get(self, name: str) -> Variable | None:
        """The variable as a command reads it, or None if the file has not set it so far."""
        scope: Scope | None = self
        while scope is not None:
            variable = scope.own.get(name)
            if variable is not None:
                return variable
            if scope.reads is not None:
                scope.reads.add(name)
            scope = scope.parent
        return None

    def peek(self, name: str) -> Variable | None:
        """The variable as `get` gives it, without counting as read."""
        scope: Scope | None = self
        while scope is not None:
            variable = scope.own.get(name)
            if variable is not None:
                return variable
            scope = scope.parent
        return None

    def assign(self, name: str, variable: Variable) -> None:
        """Give a variable another value."""
        self.own[name] = variable

    def fork(self) -> Scope:
        """A scope that can be changed alone; a fork without changes is passed over to keep chains short."""
        is_plain = self.parent is not None and not self.own and not self.exports and self.reads is None
        return Scope(parent=self.parent if is_plain else self, positionals=self.positionals, alive=self.alive)

    def layers(self, base: Scope | None) -> list[Scope]:
        """This scope and those it was forked from, down to but without `base`; None: all."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None and scope is not base and (base is None or scope is not base.parent):
            found.append(scope)
            scope = scope.parent
        return found

    def changed(self, base: Scope) -> set[str]:
        """The names assigned since the scope was forked from `base`."""
        return set().union(*(layer.own for layer in self.layers(base)))

    def snapshot(self, base: Scope | None) -> Scope:
        """A copy on top of `base` that later changes do not reach."""
        copy = Scope(parent=base, positionals=self.positionals)
        for layer in reversed(self.layers(base)):
            copy.own.update(layer.own)
            copy.exports |= layer.exports
        return copy

    def visible_outside(self) -> Scope:
        """What a program started here sees: the exported variables."""
        exports = set().union(*(layer.exports for layer in self.layers(None)))
        kept = {name: variable for name in exports if (variable := self.get(name)) is not None}
        return Scope(own=kept, exports=exports, positionals=())


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
    atoms = tuple(atom.under(guard) for atom in variable.atoms if not contradicts(atom.guard, guard))
    return replace(variable, atoms=atoms, elements=elements)


def _word_under(word: Word, guard: Guard) -> Word:
    guards = tuple(one | guard for one in word.guards if not contradicts(one, guard))
    return replace(word, guards=guards) if guards else word


def chosen(variable: Variable, decision: Decision, outcome: int) -> Variable:
    """The variable as it is once a decision has been taken."""
    pair = (decision, outcome)
    guard = frozenset({pair})
    atoms = tuple(
        atom.only(atom.guard - {pair}) if pair in atom.guard else atom
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
    atoms = tuple(atom.only(atom.guard - guard) for atom in word.atoms if not contradicts(atom.guard, guard))
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
        atom.under(guard)
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


def join_scopes(
    base: Scope,
    ways: list[Scope],
    place: str,
    missing: Callable[[str], Variable],
    local: Collection[str] = (),
) -> Scope:
    """Bring `base` to where it stands after a decision whose living outcomes end in `ways`.

    All ways were forked from `base`; without a living one the result is dead. `missing` gives the variable
    that a way lacks; what ways did to `local` names is forgotten.
    """
    living = [way for way in ways if way.alive]
    if not living:
        return Scope(parent=base, alive=False)
    decision = Decision(place, len(living))
    names: set[str] = set().union(*(way.changed(base) for way in living)).difference(local)
    found = {name: _joined_name(name, living, decision, missing) for name in sorted(names)}
    exports = set().union(*(layer.exports for way in living for layer in way.layers(base)))
    base.own.update(found)
    base.exports |= exports
    base.positionals = _joined_positionals(living, decision)
    return base


def _joined_positionals(ways: list[Scope], decision: Decision) -> tuple[Word, ...] | None:
    first = ways[0].positionals
    if all(way.positionals is first for way in ways):
        return first
    known = [Variable(elements=way.positionals) for way in ways if way.positionals is not None]
    if len(known) < len(ways) or len(ways) > MAX_WORLDS:
        return None
    return joined_variable(known, decision).elements


def _joined_name(
    name: str, ways: list[Scope], decision: Decision, missing: Callable[[str], Variable]
) -> Variable:
    values = [way.peek(name) for way in ways]
    first = values[0]
    if first is not None and all(value is first for value in values):
        return first
    if len(ways) > MAX_WORLDS:
        return unknown(name)
    known = [missing(name) if value is None else value for value in values]
    variable = joined_variable(known, decision)
    size = len(variable.atoms) + len(variable.elements or ())
    is_deep = any(len(atom.guard) > MAX_GUARD for atom in variable.atoms)
    return unknown(name) if size > MAX_PIECES or is_deep else variable
