"""Variables of a Makefile: the chunks of text they consist of, each bound to the conditionals around it.

A recipe is expanded after the whole file is read, so every use in a recipe sees the last state of a variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Guard, contradicts

if TYPE_CHECKING:
    from perfgate.config.embedded import TextPiece
    from perfgate.config.spans import Placed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chunk:
    """A part of a variable's text: `raw` is expanded at use, `pieces` were expanded where they stand.

    `is_default`: it counts only if the environment or the command line sets nothing; `is_added`: a blank
    stands before it.
    """

    guard: Guard = ALWAYS
    raw: Placed | None = None
    pieces: tuple[TextPiece, ...] = ()
    is_default: bool = False
    is_added: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MakeVariable:
    """A variable; `is_simple`: `:=`, so that more text is expanded where it is added."""

    chunks: tuple[Chunk, ...] = ()
    is_simple: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assignment:
    """One assignment. `raw` is the text behind the operator; `guard` the conditionals around it."""

    name: Placed
    operator: str
    raw: Placed
    guard: Guard = ALWAYS
    is_exported: bool = False
    targets: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Variables:
    """All variables by name."""

    known: dict[str, MakeVariable] = field(default_factory=dict)

    def copy(self) -> Variables:
        """The same variables, to be changed apart."""
        return Variables(dict(self.known))

    def assign(self, name: str, operator: str, chunk: Chunk) -> None:
        """Applies an assignment; `chunk` carries the guard under which it happens."""
        before = self.known.get(name, MakeVariable())
        if operator == "+=":
            chunks = (*before.chunks, replace(chunk, is_added=bool(before.chunks)))
            is_simple = before.is_simple
        elif operator == "?=":
            chunks = _with_default(before.chunks, replace(chunk, is_default=True))
            is_simple = False
        else:
            chunks = (*_outside(before.chunks, chunk.guard), chunk)
            is_simple = operator in {":=", "::=", "!="}
        self.known[name] = MakeVariable(chunks=chunks, is_simple=is_simple)

    def is_simple(self, name: str) -> bool:
        """Text added to the variable is expanded at once."""
        variable = self.known.get(name)
        return variable is not None and variable.is_simple


def _outside(chunks: tuple[Chunk, ...], guard: Guard) -> list[Chunk]:
    """What is left of the chunks where the guard does not hold."""
    if not guard:
        return []
    kept: list[Chunk] = []
    for chunk in chunks:
        if contradicts(chunk.guard, guard):
            kept.append(chunk)
            continue
        held = chunk.guard
        for decision, outcome in sorted(guard - chunk.guard):
            others = (other for other in range(decision.outcomes) if other != outcome)
            kept += [replace(chunk, guard=held | {(decision, other)}) for other in others]
            held |= {(decision, outcome)}
    return kept


def _with_default(chunks: tuple[Chunk, ...], default: Chunk) -> tuple[Chunk, ...]:
    """`?=` counts where nothing is set yet."""
    if not chunks:
        return (default,)
    decisions = {decision for chunk in chunks for decision, _ in chunk.guard}
    if len(decisions) != 1 or any(not chunk.guard for chunk in chunks):
        return chunks
    decision = decisions.pop()
    taken = {outcome for chunk in chunks for _, outcome in chunk.guard}
    free = [outcome for outcome in range(decision.outcomes) if outcome not in taken]
    return (*chunks, *(replace(default, guard=frozenset({(decision, outcome)})) for outcome in free))
