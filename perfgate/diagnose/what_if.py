"""Counterfactuals: what undoing one difference brings back, each a new simulation, within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from perfgate.core.difference import Change, Difference, DifferenceKind, Side
from perfgate.core.errors import PerfgateError
from perfgate.diagnose.amounts import amount_of
from perfgate.diagnose.evidence import share_text
from perfgate.diagnose.signals import Undone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfgate.core.diagnosis import Focus
    from perfgate.core.execution_profile import Profile

MOST_SIMULATIONS = 32
MOST_SECONDS = 20.0
ONE_BY_ONE = 8  # with more differences, a minimal set is found first
_WHOLE = 0.9  # of the delta: what a set of differences must bring back to hold the reason
_KEPT_BACK = ONE_BY_ONE + 4  # simulations that the search for a minimal set leaves for causes and fixes


class Resimulate(Protocol):
    """Simulate a side with something changed; given by `workflow`, so a diagnosis needs no backend."""

    def __call__(self, change: Change) -> Profile:
        """The profile of the changed side.

        Raises:
            PerfgateError: the change cannot be compiled or simulated.
        """
        ...


@dataclass(slots=True)
class Simulations:
    """Re-simulations of one diagnosis: memoised, counted, refused beyond the budget with a note."""

    resimulate: Resimulate
    focus: Focus
    clock: Callable[[], float]
    count: int = 0
    notes: list[str] = field(default_factory=list)
    _known: dict[Change, Profile | None] = field(default_factory=dict)
    _until: float = 0.0
    _is_spent: bool = False

    def __post_init__(self) -> None:
        self._until = self.clock() + MOST_SECONDS

    def profile(self, change: Change) -> Profile | None:
        """The profile, or None where it cannot be had; the reason is a note."""
        if change not in self._known:
            self._known[change] = self._simulate(change)
        return self._known[change]

    def amount(self, change: Change) -> int | None:
        """The focus metric with the change."""
        found = self.profile(change)
        return None if found is None else amount_of(found, self.focus)

    def _simulate(self, change: Change) -> Profile | None:
        if self.count >= MOST_SIMULATIONS or self.clock() > self._until:
            if not self._is_spent:
                self._is_spent = True
                limits = f"{MOST_SIMULATIONS} or {MOST_SECONDS:.0f} s at most"
                self.notes.append(f"stopped after {self.count} re-simulations: {limits}")
            return None
        self.count += 1
        try:
            return self.resimulate(change)
        except PerfgateError as error:
            self.notes.append(f"cannot simulate {_what(change)}: {error.what}")
            return None


def undo_each(
    differences: Sequence[Difference], amounts: tuple[int, int], simulations: Simulations
) -> tuple[Undone, ...]:
    """Undo one difference at a time; `amounts` are those before and after.

    Beyond `ONE_BY_ONE` differences only those of a minimal set that brings back most of the delta are told
    apart (delta debugging).
    """
    chosen = [item for item in differences if item.kind is not DifferenceKind.CONTEXT]
    if len(chosen) > ONE_BY_ONE:
        chosen = _minimal(chosen, amounts, simulations)
    found = []
    for item in chosen:
        profile = simulations.profile(Change(side=Side.AFTER, taken=(item,)))
        if profile is not None:
            amount = amount_of(profile, simulations.focus)
            share = recovered(amount, amounts)
            found.append(Undone(difference=item, profile=profile, recovered=share, amount=amount))
    return tuple(found)


def recovered(amount: int, amounts: tuple[int, int]) -> float:
    """Share of the delta that is gone when the amount is what is left of the after side."""
    before, after = amounts
    return (after - amount) / (after - before) if after != before else 0.0


def _minimal(
    differences: list[Difference], amounts: tuple[int, int], simulations: Simulations
) -> list[Difference]:
    """The smallest set that still brings most of the delta back: Zeller's ddmin, complements only.

    Where all differences together bring back less, there is no such set, and all are looked at one by one.
    """
    kept, parts = list(differences), 2
    if not _holds_reason(kept, amounts, simulations):
        simulations.notes.append(f"{len(kept)} differences together do not bring most of the delta back")
        return kept
    while len(kept) > 1 and parts <= len(kept):
        size = -(-len(kept) // parts)
        for start in range(0, len(kept), size):
            if simulations.count >= MOST_SIMULATIONS - _KEPT_BACK:
                note = f"a smaller set was not looked for after {simulations.count} re-simulations"
                simulations.notes.append(f"{len(kept)} of {len(differences)} differences are left: {note}")
                return kept
            fewer = kept[:start] + kept[start + size :]
            if _holds_reason(fewer, amounts, simulations):
                kept, parts = fewer, max(2, parts - 1)
                break
        else:
            if size == 1:
                break
            parts = min(len(kept), parts * 2)
    return kept


def _holds_reason(
    differences: Sequence[Difference], amounts: tuple[int, int], simulations: Simulations
) -> bool:
    amount = simulations.amount(Change(side=Side.AFTER, taken=tuple(differences)))
    return amount is not None and recovered(amount, amounts) >= _WHOLE


def interaction(undone: Sequence[Undone], amounts: tuple[int, int], simulations: Simulations) -> str:
    """A sentence about two differences that act together, "" where shares add up to the delta.

    The two with the largest shares are undone together; more or less than their sum is an interaction.
    """
    shares = sorted(undone, key=lambda item: -abs(item.recovered))
    if len(shares) < 2 or abs(sum(item.recovered for item in shares) - 1) <= 1 - _WHOLE:  # noqa: PLR2004 - a pair
        return ""
    first, second = shares[:2]
    change = Change(side=Side.AFTER, taken=(first.difference, second.difference))
    amount = simulations.amount(change)
    if amount is None:
        return ""
    both = recovered(amount, amounts)
    if abs(both - first.recovered - second.recovered) <= 1 - _WHOLE:
        return ""
    shares_of = [share_text(share) for share in (first.recovered, second.recovered, both)]
    return (
        f"{first.difference.name} and {second.difference.name} act together: undone alone they bring back "
        f"{shares_of[0]} and {shares_of[1]} of the delta, together {shares_of[2]}"
    )


def _what(change: Change) -> str:
    names = [f"{item.name} undone" for item in change.taken]
    names += [f"{item.name}={item.value}" for item in change.settings]
    return ", ".join(names) or f"the {change.side} side"
