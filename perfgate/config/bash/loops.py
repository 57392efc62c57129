"""Loops: the body is followed for what it leaves behind, then with what an earlier round may have left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.bash.conditions import EITHER, FAILS, SUCCEEDS
from perfgate.config.bash.leaving import Leaving
from perfgate.config.bash.scope import MAX_PIECES, Scope, Variable, chosen, unknown
from perfgate.config.bash.syntax import Literal
from perfgate.config.branches import MAX_WORLDS, Decision
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import For, Sequence, While, WordText
    from perfgate.config.spans import Placed
    from perfgate.config.words import Word

_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Loop:
    """A loop that is being followed: `decision` is which of its literal words holds, None without them."""

    body: Sequence
    place: Placed
    name: str = ""
    decision: Decision | None = None
    at_least_once: bool = False


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
    else:
        runner.expander.change_numbers(node.place.text.partition(")")[0])
    once = decision is not None
    _follow(
        runner,
        _Loop(body=node.body, place=node.place, name=node.name, decision=decision, at_least_once=once),
    )
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
        _follow(runner, _Loop(body=node.body, place=node.place, at_least_once=not status & FAILS))
    return EITHER


def _follow(runner: Runner, loop: _Loop) -> None:
    """Follow a body for what it leaves behind, and once more if an earlier round changes what it reads.

    Only the last pass of the outermost loop reports, so loops inside a first pass make no second one: nested
    loops would double the work with each level.
    """
    base = runner.scope
    before = runner.output.checkpoint()
    first = base.fork()
    first.reads = set()
    is_draft = bool(runner.drafts or runner.output.muted)
    runner.drafts += 1
    unfinished, runner.has_unfinished_loop = runner.has_unfinished_loop, False
    after, is_broken = _one_round(runner, first, loop)
    runner.drafts -= 1
    read_before = after.changed(base) & first.reads
    if is_draft:
        runner.has_unfinished_loop |= unfinished or bool(read_before)
    elif read_before or runner.has_unfinished_loop:
        runner.output.restore(before)
        _report_round(runner, base, after, read_before, loop)
    _end(runner, base, after, loop, read_before=read_before, reads=first.reads, is_broken=is_broken)


def _report_round(runner: Runner, base: Scope, after: Scope, names: set[str], loop: _Loop) -> None:
    """A round that starts with what is there before the loop, or with what a round has left."""
    start = runner.join(base.fork(), [base.fork(), after], loop.place, "again") if names else base.fork()
    for name in names:
        _hide_growth(base, after, start, name)
    _one_round(runner, start, loop)


def _end(  # noqa: PLR0913 - the scopes around a loop and what its rounds did
    runner: Runner,
    base: Scope,
    after: Scope,
    loop: _Loop,
    *,
    read_before: set[str],
    reads: set[str],
    is_broken: bool,
) -> None:
    if not after.alive:
        runner.scope = Scope(parent=base, alive=False) if loop.at_least_once else base
        return
    if loop.decision is None:
        for name in read_before:
            _hide_growth(base, after, after, name)
    elif not is_broken:
        _take_last(base, after, loop.name, reads, loop.decision)
    ends = [after] if loop.at_least_once else [base.fork(), after]
    runner.scope = runner.join(base, ends, loop.place, "ran")


def _one_round(runner: Runner, start: Scope, loop: _Loop) -> tuple[Scope, bool]:
    """The scope after one round, and whether `break` may have ended the loop."""
    leaving = Leaving("loop", start)
    runner.exits.append(leaving)
    runner.scope = start.fork()
    runner.run(loop.body)
    runner.exits.pop()
    if not leaving.scopes:
        return runner.scope, False
    after = runner.join(start, [*leaving.scopes, runner.scope], loop.place, "stop")
    return after, leaving.is_broken


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


def _take_last(base: Scope, after: Scope, loop_name: str, reads: set[str], decision: Decision) -> None:
    """After the loop its variable holds the last word; what each round appends is there for every word."""
    for name in after.changed(base) | {loop_name}:
        variable, before = after.peek(name), base.peek(name)
        if variable is None or (variable is before and name != loop_name):
            continue
        if before is None and name in reads:
            before = _grown_from_nothing(name, variable)
        size = len(variable.atoms) + len(variable.elements or ())
        if size * decision.outcomes > MAX_PIECES:
            after.assign(name, unknown(name))
        else:
            after.assign(name, _last(before if name != loop_name else None, variable, decision))


def _grown_from_nothing(name: str, variable: Variable) -> Variable | None:
    """What an appended name stood for before it was first set: no elements, or an unknown text."""
    if variable.elements is not None:
        return Variable(elements=())
    first = variable.atoms[:1]
    is_own = bool(first) and first[0].text is None and first[0].source == name
    return Variable(atoms=first) if is_own else None


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
