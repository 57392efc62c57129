"""Loops: the body is followed for what it leaves behind, then with what an earlier round may have left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.bash.conditions import EITHER, FAILS, SUCCEEDS
from perfgate.config.bash.leaving import Leaving
from perfgate.config.bash.scope import Scope, Variable, chosen, unknown
from perfgate.config.bash.syntax import Literal
from perfgate.config.branches import MAX_WORLDS, Decision
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import For, Sequence, While, WordText
    from perfgate.config.spans import Placed
    from perfgate.config.words import Word

_GLOB = frozenset("*?[")


def run_for(runner: Runner, node: For) -> int:
    """A loop over words: over literal words, each of them is an outcome of one decision."""
    words = _loop_words(runner, node)
    decision = None
    if node.name:
        variable = unknown(node.name)
        if words is not None and words:
            decision = Decision(_round_place(node.place), len(words))
            variable = _variable(words, decision)
        runner.scope.assign(node.name, variable)
    _follow(runner, node.body, node.place, decision, at_least_once=decision is not None)
    return EITHER


def _loop_words(runner: Runner, node: For) -> tuple[Word, ...] | None:
    """The words of the loop if the file shows all of them, at most 32."""
    if node.words is None or any(_is_glob(word) for word in node.words):
        return None
    words = runner.expander.all_words(node.words)
    if len(words) > MAX_WORLDS or any(word.is_open or word.splits for word in words):
        return None
    return words


def _is_glob(word: WordText) -> bool:
    literals = [part for part in word.parts if isinstance(part, Literal) and not part.quoted]
    return any(sign in part.text.text for part in literals for sign in _GLOB)


def _variable(words: tuple[Word, ...], decision: Decision) -> Variable:
    if len(words) == 1:
        return Variable(atoms=words[0].atoms)
    atoms = [
        atom.under(frozenset({(decision, outcome)}))
        for outcome, word in enumerate(words)
        for atom in word.atoms
    ]
    return Variable(atoms=tuple(atoms))


def _round_place(place: Placed) -> str:
    line, column = place.source.point(place.offset(0))
    return f"{line}:{column}"


def run_while(runner: Runner, node: While) -> int:
    """A loop with a condition, which may run no round at all."""
    status = runner.run(node.condition)
    if status & SUCCEEDS and runner.scope.alive:
        _follow(runner, node.body, node.place, None, at_least_once=not status & FAILS)
    return EITHER


def _follow(
    runner: Runner, body: Sequence, place: Placed, decision: Decision | None, *, at_least_once: bool
) -> None:
    """Follow a body in two passes. The first one counts if it assigns nothing that it also reads before."""
    base = runner.scope
    before = runner.output.checkpoint()
    first = base.fork()
    first.reads = set()
    after = _one_round(runner, first, body, place)
    names = after.changed(base)
    read_before = names & first.reads
    if read_before:
        runner.output.restore(before)
        start = runner.join(base.fork(), [base.fork(), after], place, "again")
        for name in read_before:
            _hide_growth(base, after, start, name)
        _one_round(runner, start, body, place)
    if not after.alive:
        runner.scope = Scope(parent=base, alive=False) if at_least_once else base
        return
    if decision is None:
        for name in read_before:
            _hide_growth(base, after, after, name)
    else:
        _take_last(base, after, names, decision)
    ends = [after] if at_least_once else [base.fork(), after]
    runner.scope = runner.join(base, ends, place, "ran")


def _one_round(runner: Runner, start: Scope, body: Sequence, place: Placed) -> Scope:
    leaving = Leaving("loop", start)
    runner.exits.append(leaving)
    runner.scope = start.fork()
    runner.run(body)
    runner.exits.pop()
    if not leaving.scopes:
        return runner.scope
    return runner.join(start, [*leaving.scopes, runner.scope], place, "stop")


def _hide_growth(base: Scope, after: Scope, scope: Scope, name: str) -> None:
    """Hide in `scope` a text that each round makes anew from the last one: a counter, a name that grows.

    A list of words that grows stays as it is: each of its words may be there.
    """
    before, variable = base.peek(name), after.peek(name)
    if variable is None or variable.elements is not None:
        return
    start = before.atoms if before is not None else ()
    if any(atom.text is not None and atom.text.text[:1].isspace() for atom in variable.atoms):
        return
    if any(atom.text is None for atom in variable.atoms if atom not in start):
        scope.assign(name, unknown(name))
    elif start and variable.atoms[: len(start)] == start and len(variable.atoms) > len(start):
        scope.assign(name, Variable(atoms=(*start, Atom(text=None, source=name))))


def _take_last(base: Scope, after: Scope, names: set[str], decision: Decision) -> None:
    """After the loop its variable holds the last word; what each round appends is there for every word."""
    for name in names:
        variable, before = after.peek(name), base.peek(name)
        if variable is not None and variable is not before:
            after.assign(name, _last(before, variable, decision))


def _last(before: Variable | None, variable: Variable, decision: Decision) -> Variable:
    rounds = range(decision.outcomes)
    if before is not None and before.elements is not None and variable.elements is not None:
        size = len(before.elements)
        if variable.elements[:size] == before.elements:
            rest = Variable(elements=variable.elements[size:])
            grown = [word for outcome in rounds for word in chosen(rest, decision, outcome).elements or ()]
            return replace(variable, elements=(*before.elements, *grown))
    if before is not None and before.atoms and variable.atoms[: len(before.atoms)] == before.atoms:
        rest = Variable(atoms=variable.atoms[len(before.atoms) :])
        atoms = [atom for outcome in rounds for atom in chosen(rest, decision, outcome).atoms]
        return replace(variable, atoms=(*before.atoms, *atoms))
    return chosen(variable, decision, decision.outcomes - 1)
