"""Decisions of a file that only a run can take, and what holds on which of their outcomes.

A decision is one `if`, `case`, loop or matrix; its outcomes are numbered from 0. A guard is a set of
(decision, outcome) pairs that all hold; the empty guard always holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_WORLDS = 32  # combinations of outcomes beyond this are unknown, GUARDRAILS section 3.1


@dataclass(frozen=True, slots=True, order=True)
class Decision:
    """A conditional, loop or matrix: `place` is unique in its file, `outcomes` counts its ways."""

    place: str
    outcomes: int


Guard = frozenset[tuple[Decision, int]]
ALWAYS: Guard = frozenset()


def contradicts(left: Guard, right: Guard) -> bool:
    """The two guards can never hold together: they want different outcomes of one decision."""
    if not left or not right:
        return False
    outcomes = dict(left)
    return any(outcomes.get(decision, outcome) != outcome for decision, outcome in right)


def worlds(guards: Iterable[Guard], given: Guard = ALWAYS) -> tuple[Guard, ...] | None:
    """Every combination of outcomes of the decisions in the guards, or None above MAX_WORLDS.

    Outcomes that `given` fixes are not varied and not part of the result.
    """
    fixed = {decision for decision, _ in given}
    open_decisions = sorted({decision for guard in guards for decision, _ in guard} - fixed)
    count = 1
    for decision in open_decisions:
        count *= decision.outcomes
        if count > MAX_WORLDS:
            return None
    ways = [[(decision, outcome) for outcome in range(decision.outcomes)] for decision in open_decisions]
    return tuple(frozenset(choice) for choice in product(*ways))


def simplified(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Alternative guards without the decisions that make no difference; (ALWAYS,) if they cover all."""
    kept = tuple(dict.fromkeys(guards))
    for decision in sorted({decision for guard in kept for decision, _ in guard}):
        bare = dict.fromkeys(frozenset(pair for pair in guard if pair[0] != decision) for guard in kept)
        every = range(decision.outcomes)
        if all(rest | {(decision, outcome)} in kept for rest in bare for outcome in every):
            kept = tuple(bare)
    return kept


def branch_text(guards: tuple[Guard, ...]) -> str:
    """Guards as text for `Flag.branch`: `12:3=0/2&20:1=1/3 | ...`, outcome and count per decision."""
    if ALWAYS in guards:
        return ""
    alternatives = [
        "&".join(f"{decision.place}={outcome}/{decision.outcomes}" for decision, outcome in sorted(guard))
        for guard in guards
    ]
    return " | ".join(alternatives)


def parse_branch(text: str) -> tuple[Guard, ...]:
    """The guards of a branch text."""
    if not text:
        return (ALWAYS,)
    return tuple(
        frozenset(_pair(pair) for pair in alternative.split("&")) for alternative in text.split(" | ")
    )


def _pair(text: str) -> tuple[Decision, int]:
    place, _, counts = text.rpartition("=")
    outcome, _, outcomes = counts.partition("/")
    return Decision(place, int(outcomes)), int(outcome)


def covers_every_branch(branches: Iterable[str]) -> bool:
    """On every path at least one of the branches is taken: the flags that stand on them count as present.

    False when there are too many decisions to tell.
    """
    guards = [guard for text in branches for guard in parse_branch(text)]
    cases = worlds(guards)
    if cases is None:
        return ALWAYS in guards
    return all(any(guard <= case for guard in guards) for case in cases)
