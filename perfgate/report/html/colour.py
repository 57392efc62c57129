"""Colours of the page: changes from faster to slower, and a few categories; readable without hue.

Orange and blue lie apart in the three common colour deficiencies; lightness falls towards both ends, so that
a print in grey still shows how much, and a sign or hatching says which way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# From much faster to much slower, by relative change. Neighbours differ by hue and lightness alike.
CHANGES = ("#0b3c78", "#2f7fc1", "#9cc9ea", "#d9d9d9", "#f2b66d", "#d1690e", "#7f3000")
LIMITS = (-0.5, -0.1, -0.01, 0.01, 0.1, 0.5)
NEW = "#5c2d91"  # an operator that has no before
GONE = "#6b6b6b"  # one that has no after
# Categories with no order, such as engines and copy routes; at most six, each also named beside its use.
CATEGORIES = ("#0072b2", "#b35900", "#00694d", "#8a4a72", "#3d3d3d", "#7a6a00")
SAFE, WARNING, DANGER = "#00694d", "#b35900", "#8f1d1d"


def change_colour(before: float, after: float) -> str:
    """The colour of a change: blue is faster, orange slower, grey within 1 %."""
    if before <= 0:
        return NEW if after > 0 else CHANGES[3]
    relative = after / before - 1
    return CHANGES[sum(relative > limit for limit in LIMITS)]


def change_colours(before: Sequence[float], after: Sequence[float]) -> list[str]:
    """One colour per pair."""
    return [change_colour(old, new) for old, new in zip(before, after, strict=True)]


def change_sign(before: float, after: float) -> str:
    """`+` slower, `-` faster, "=" within 1 %, `new` without a before: what colour says, in a word."""
    if before <= 0:
        return "new" if after > 0 else "="
    relative = after / before - 1
    if abs(relative) <= LIMITS[3]:
        return "="
    return "+" if relative > 0 else "-"
