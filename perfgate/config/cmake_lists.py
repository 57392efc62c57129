"""Lists of words on the ways of a decision: what they share is always there, the rest under guards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import contradicts
from perfgate.config.words import Word

if TYPE_CHECKING:
    from perfgate.config.branches import Decision

Values = dict[str, tuple[Word, ...]]


def joined_values(ways: list[Values], decision: Decision) -> Values:
    """The values behind a decision; a name that one way does not set is empty there."""
    joined: Values = {}
    for name in dict.fromkeys(name for way in ways for name in way):
        rows = [way.get(name, ()) for way in ways]
        joined[name] = rows[0] if all(row is rows[0] for row in rows) else _joined_rows(rows, decision)
    return joined


def _joined_rows(rows: list[tuple[Word, ...]], decision: Decision) -> tuple[Word, ...]:
    shared = 0
    while all(len(row) > shared and row[shared] is rows[0][shared] for row in rows):
        shared += 1
    words = list(rows[0][:shared])
    for outcome, row in enumerate(rows):
        more = frozenset({(decision, outcome)})
        for word in row[shared:]:
            guards = tuple(guard | more for guard in word.guards if not contradicts(guard, more))
            words += [replace(word, guards=guards)] if guards else []
    return tuple(words)
