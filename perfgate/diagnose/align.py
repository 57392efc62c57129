"""The operators of two profiles side by side: which is which, what is new, what is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.diagnose.matching import match_nodes
from perfgate.diagnose.nodes import NO_ROW, list_nodes
from perfgate.diagnose.provenance import Group, link_operators
from perfgate.diagnose.scopes import parents, rename, renamed_prefixes, scopes_with_parents, smallest_shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.execution_profile import OperatorRow
    from perfgate.diagnose.nodes import NodeList


class OpenScope(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest scope of both sides around operators that only one of them has; its name afterwards.

    `before_ps` and `after_ps` are the time of all operators in the scope and below, so that what cannot be
    paired is compared at least as a whole.
    """

    scope: str
    added: tuple[int, ...]
    removed: tuple[int, ...]
    before_ps: int
    after_ps: int


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """Positions of operators before and after; each is in exactly one pair, group, `added` or `removed`.

    `coverage` is the share of both sides' time that is paired or grouped (of operators, if nothing took any
    time). `renamed` are scopes that changed their name as a whole: before, after.
    """

    pairs: tuple[tuple[int, int], ...]
    groups: tuple[Group, ...]
    added: tuple[int, ...]
    removed: tuple[int, ...]
    scopes: tuple[OpenScope, ...]
    renamed: tuple[tuple[str, str], ...]
    coverage: float


def align_operators(before: Sequence[OperatorRow], after: Sequence[OperatorRow]) -> Alignment:
    """Pair operators by unique keys, then by their order in each scope, then by the nodes that they run.

    Names count where they are unique; generated parts of them never do. Do not trust single pairs among
    operators that are equal in name, type, shape and scope: any of them may stand for any other.
    """
    left, right = list_nodes(before), list_nodes(after)
    renamed = _use_new_names(left, right)
    pairs, groups = link_operators(left, right, match_nodes(left, right))
    gone = _rest(len(before), ({i for i, _ in pairs}, *(group.before for group in groups)))
    new = _rest(len(after), ({j for _, j in pairs}, *(group.after for group in groups)))
    return Alignment(
        pairs=tuple(pairs),
        groups=tuple(groups),
        added=new,
        removed=gone,
        scopes=_open_scopes((left, right), (before, after), (gone, new)),
        renamed=renamed,
        coverage=_coverage(before, after, gone, new),
    )


def _use_new_names(left: NodeList, right: NodeList) -> tuple[tuple[str, str], ...]:
    """Give the left side the right side's names of scopes; which prefixes changed."""
    prefixes = renamed_prefixes(left, right)
    if not prefixes:
        return ()
    mine, yours = scopes_with_parents(left.scopes), scopes_with_parents(right.scopes)
    names = {scope: rename(scope, prefixes, yours - mine) for scope in mine - yours}
    left.scopes[:] = [names.get(scope, scope) for scope in left.scopes]
    return prefixes


def _rest(count: int, used: Iterable[Iterable[int]]) -> tuple[int, ...]:
    taken = {position for positions in used for position in positions}
    return tuple(position for position in range(count) if position not in taken)


def _open_scopes(
    nodes: tuple[NodeList, NodeList],
    operators: tuple[Sequence[OperatorRow], Sequence[OperatorRow]],
    unpaired: tuple[tuple[int, ...], tuple[int, ...]],
) -> tuple[OpenScope, ...]:
    """What is open, by the smallest shared scope, in the order of their names."""
    if not any(unpaired):
        return ()
    scopes = [_scope_by_row(side) for side in nodes]
    known = [scopes_with_parents(found) for found in scopes]
    totals = [_totals(found, rows) for found, rows in zip(scopes, operators, strict=True)]
    shared = known[0] & known[1]
    members: dict[str, tuple[list[int], list[int]]] = {}
    for side, positions in enumerate(unpaired):
        for position in positions:
            scope = smallest_shared(scopes[side][position], shared)
            members.setdefault(scope, ([], []))[side].append(position)
    return tuple(
        OpenScope(
            scope=scope,
            removed=tuple(removed),
            added=tuple(added),
            before_ps=totals[0].get(scope, 0),
            after_ps=totals[1].get(scope, 0),
        )
        for scope, (removed, added) in sorted(members.items())
    )


def _scope_by_row(nodes: NodeList) -> list[str]:
    """Scopes in the order of the operators; the nodes are in the order of the model."""
    return [scope for row, scope in sorted(zip(nodes.rows, nodes.scopes, strict=True)) if row != NO_ROW]


def _totals(scopes: Sequence[str], operators: Sequence[OperatorRow]) -> dict[str, int]:
    own: dict[str, int] = {}
    for scope, operator in zip(scopes, operators, strict=True):
        own[scope] = own.get(scope, 0) + operator.total_ps
    totals: dict[str, int] = {}
    for scope, total_ps in own.items():
        for parent in parents(scope):
            totals[parent] = totals.get(parent, 0) + total_ps
    return totals


def _coverage(
    before: Sequence[OperatorRow], after: Sequence[OperatorRow], gone: Sequence[int], new: Sequence[int]
) -> float:
    total = sum(row.total_ps for row in (*before, *after))
    if total:
        is_open = sum(before[i].total_ps for i in gone) + sum(after[j].total_ps for j in new)
        return 1 - is_open / total
    count = len(before) + len(after)
    return 1 - (len(gone) + len(new)) / count if count else 1.0
