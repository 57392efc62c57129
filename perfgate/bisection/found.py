"""What the searches of ranges hand to the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.bisection.answer import Ending
    from perfgate.bisection.probe import Launch


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A change between two neighbouring measured positions, with the fresh launches that confirmed it."""

    good: int
    bad: int
    chance: float
    step: float
    before: tuple[Launch, ...]
    after: tuple[Launch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that a search of the whole range came to; `left` are positions (first, last].

    `bad` are the last chances of the positions from `low` on, empty when nothing was told apart.
    """

    ending: Ending | None  # None: it is told from `found`
    found: tuple[Found, ...] = ()
    total: float = 0.0
    reason: str = ""
    notes: tuple[str, ...] = ()
