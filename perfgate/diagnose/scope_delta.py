"""The part of the model that holds most of the delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import ScopeDelta
from perfgate.core.execution_profile import scope_totals

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile

MOST_OF_IT = 0.5


def regressed_scope(before: Profile, after: Profile) -> ScopeDelta | None:
    """The deepest part with more than half of the growth; None without one.

    An operator is no part, and neither is a list of numbered ones (`resnet` of `resnet.0`, `resnet.1`).
    """
    old, new = scope_totals(before.operators), scope_totals(after.operators)
    growth = new[""] - old[""]
    if growth <= 0:
        return None
    parents = {
        scope.rpartition(".")[0] for scope in new if scope and not scope.rpartition(".")[2].isdecimal()
    }
    fitting = [
        scope
        for scope, total in new.items()
        if scope and scope in parents and total - old.get(scope, 0) > MOST_OF_IT * growth
    ]
    if not fitting:
        return None
    scope = max(fitting, key=lambda item: (item.count("."), new[item] - old.get(item, 0), item))
    return ScopeDelta(
        scope=scope,
        before=old.get(scope, 0),
        after=new[scope],
        share_before=old.get(scope, 0) / old[""] if old[""] else 0.0,
        share_after=new[scope] / new[""] if new[""] else 0.0,
    )
