"""The operators of two profiles as rules and attribution see them: an alignment with its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.diagnose.align import align_operators
from perfgate.diagnose.signals import Matched

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile


def match_operators(before: Profile, after: Profile) -> tuple[tuple[Matched, ...], float]:
    """Every operator of both sides in exactly one match, and the share of the time that found a partner."""
    old, new = before.operators, after.operators
    found = align_operators(old, new)
    matched = [
        *(Matched(before=(old[i],), after=(new[j],)) for i, j in found.pairs),
        *(
            Matched(before=tuple(old[i] for i in group.before), after=tuple(new[j] for j in group.after))
            for group in found.groups
        ),
        *(Matched(before=(old[i],), after=()) for i in found.removed),
        *(Matched(before=(), after=(new[j],)) for j in found.added),
    ]
    return tuple(matched), found.coverage
