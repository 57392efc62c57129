"""Did-you-mean for keys, targets and metrics: the same distance as the flag catalogue uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DISTANCE = 2
_LONGEST = 64  # names beyond this are no typing slips


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names at most two slips away, the nearest first."""
    if len(name) > _LONGEST:
        return ()
    folded = _folded(name)
    ranked = sorted((slips(folded, _folded(other)), other) for other in dict.fromkeys(known))
    return tuple(other for distance, other in ranked if distance <= min(MAX_DISTANCE, len(other) - 1))


def _folded(name: str) -> str:
    return name.lstrip("-").replace("-", "_").lower()


def slips(left: str, right: str) -> int:
    """Damerau-Levenshtein distance, adjacent swaps count one; at most MAX_DISTANCE + 1."""
    if abs(len(left) - len(right)) > MAX_DISTANCE:
        return MAX_DISTANCE + 1
    before: list[int] = []
    above = list(range(len(right) + 1))
    for i, sign in enumerate(left, 1):
        row = [i]
        for j, other in enumerate(right, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (sign != other))
            if i > 1 and j > 1 and sign == right[j - 2] and left[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, above = above, row
    return min(above[-1], MAX_DISTANCE + 1)
