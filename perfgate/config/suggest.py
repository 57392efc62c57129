"""Did you mean: names close to a mistyped one, with `-` and `_` as the same sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_DISTANCE = 2  # typing mistakes: one sign wrong, missing, added, or two exchanged, each counts one
PREFIX = 7  # signs that two names must share to be near without being close
_SHORT = 4  # a name this short must not change more than half of its signs


def near_names(
    name: str, known: Iterable[str], synonyms: Mapping[str, Iterable[str]] | None = None, *, limit: int = 3
) -> tuple[str, ...]:
    """The known names that `name` may have meant, nearest first, at most `limit`.

    Damerau-Levenshtein distance (with adjacent exchange) up to 2, then a common start of 7 signs, then the
    synonyms of the name or of a word in it. Dashes at the start do not count.
    """
    folded = _folded(name)
    names = list(dict.fromkeys(known))
    allowed = min(MAX_DISTANCE, max(1, len(folded) // 2)) if len(folded) <= _SHORT else MAX_DISTANCE
    close: list[tuple[int, str]] = []
    for candidate in names:
        distance = edit_distance(folded, _folded(candidate), allowed)
        if distance <= allowed:
            close.append((distance, candidate))
    found = [candidate for _, candidate in sorted(close)]
    found += sorted(candidate for candidate in names if _shares_start(folded, _folded(candidate)))
    found += _by_synonym(folded, synonyms or {})
    return tuple(dict.fromkeys(candidate for candidate in found if candidate != name))[:limit]


def _folded(name: str) -> str:
    return name.lstrip("-").replace("-", "_").lower()


def _shares_start(left: str, right: str) -> bool:
    return len(left) >= PREFIX and left[:PREFIX] == right[:PREFIX]


def _by_synonym(folded: str, synonyms: Mapping[str, Iterable[str]]) -> list[str]:
    exact = synonyms.get(folded)
    if exact is not None:
        return list(exact)
    words = folded.split("_")
    return [name for word, names in synonyms.items() if word in words for name in names]


def edit_distance(left: str, right: str, limit: int = MAX_DISTANCE) -> int:
    """Damerau-Levenshtein distance, restricted form (optimal string alignment); limit + 1 above the limit."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(right) + 1))
    for row, sign in enumerate(left, start=1):
        current = [row]
        for column, other in enumerate(right, start=1):
            cost = sign != other
            best = min(above[column] + 1, current[column - 1] + 1, above[column - 1] + cost)
            if row > 1 and column > 1 and sign == right[column - 2] and left[row - 2] == other:
                best = min(best, before[column - 2] + 1)
            current.append(best)
        if min(current) > limit:
            return limit + 1
        before, above = above, current
    return above[-1]
