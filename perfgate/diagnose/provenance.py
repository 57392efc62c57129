"""From pairs of nodes to pairs and groups of operators: a fused kernel meets all of its sources at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from perfgate.diagnose.nodes import NO_ROW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from perfgate.diagnose.nodes import NodeList

MOST_HOSTS = 8  # kernels that one fused node ties into a group; more would hide each other's changes


class Group(msgspec.Struct, frozen=True, gc=False):
    """Operators that do the same work, several on at least one side; positions, ascending."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def link_operators(
    left: NodeList, right: NodeList, pairs: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[Group]]:
    """Operators that run the same nodes: pairs where one meets one, else groups of all that are connected."""
    links: set[tuple[int, int]] = set()
    for i, j in pairs:
        if i in left.hosts or j in right.hosts:
            links.update(_links(left, right, i, j))
        else:
            links.add((left.rows[i], right.rows[j]))
    before = Counter([row for row, _ in links])
    after = Counter([other for _, other in links])
    alone = [(row, other) for row, other in links if before[row] == after[other] == 1]
    return sorted(alone), _groups(links.difference(alone))


def _groups(links: Iterable[tuple[int, int]]) -> list[Group]:
    after_of: dict[int, set[int]] = {}
    before_of: dict[int, set[int]] = {}
    for row, other in links:
        after_of.setdefault(row, set()).add(other)
        before_of.setdefault(other, set()).add(row)
    groups = []
    seen: set[int] = set()
    for row in sorted(after_of):
        if row not in seen:
            before, after = _connected(row, after_of, before_of)
            seen |= before
            groups.append(Group(tuple(sorted(before)), tuple(sorted(after))))
    return groups


def _links(left: NodeList, right: NodeList, i: int, j: int) -> Iterator[tuple[int, int]]:
    """Which operators stand for a node on both sides.

    Where it runs fused on both sides, its kernels meet if it is one each: several compute it anew for
    themselves, and what they are named after says who is who. An operator named after a node that runs fused
    elsewhere only copies for it: it meets its like.
    """
    row, other = left.rows[i], right.rows[j]
    hosts, others = left.hosts.get(i, []), right.hosts.get(j, [])
    if hosts and others:
        if len(hosts) == len(others) == 1:
            yield hosts[0], others[0]
        hosts, others = [], []
    elif max(len(hosts), len(others)) > MOST_HOSTS:
        return
    for mine in (row, *hosts):
        for yours in (other, *others):
            if NO_ROW not in (mine, yours):
                yield mine, yours


def _connected(
    row: int, after_of: dict[int, set[int]], before_of: dict[int, set[int]]
) -> tuple[set[int], set[int]]:
    before, after = {row}, set[int]()
    fresh = {row}
    while fresh:
        reached = set().union(*(after_of[mine] for mine in fresh)) - after
        after |= reached
        fresh = set().union(*(before_of[yours] for yours in reached)) - before
        before |= fresh
    return before, after
