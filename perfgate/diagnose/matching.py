"""Which node of one program is which node of the other: anchors, then the gaps between them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from perfgate.diagnose.nodes import NO_ROW
from perfgate.diagnose.subsequence import longest_increasing, match_sequences

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from perfgate.diagnose.nodes import Kind, NodeList

_Key = TypeVar("_Key", bound="Hashable")


@dataclass(slots=True)
class _Search:
    """Two node lists on the way to their alignment; `mates` are the partners of `left`, -1 is none."""

    left: NodeList
    right: NodeList
    mates: list[int]
    taken: set[int]

    def pair(self, i: int, j: int) -> None:
        self.mates[i] = j
        self.taken.add(j)


def match_nodes(left: NodeList, right: NodeList) -> list[tuple[int, int]]:
    """Pairs of positions, each position at most once; the scopes of both sides have the same names already.

    1. What is called the same in its scope, or is the only one of its type and shape there, on both sides.
    2. Between those that stand in the same order: common order of type and shape, scope by scope; then of
       what lies in scopes that only one side has.
    3. Nodes inside kernels stand at the kernel's place, not at their own, so their order says little: within
       a scope the first is the first if both sides have equally many.
    """
    search = _Search(left, right, [-1] * len(left.rows), set())
    _pair_unique(search)
    shared = set(left.scopes) & set(right.scopes)
    for mine, yours in _gaps(search):
        _match_gap(search, mine, yours, shared)
    _pair_fused(search)
    return [(i, j) for i, j in enumerate(search.mates) if j >= 0]


def _pair_unique(search: _Search) -> None:
    """Pairs by unique keys; one that breaks the common order has moved, and is no border of a gap."""
    left, right = search.left, search.right
    names = _unique_pairs(
        list(zip(left.scopes, left.leaves, [kind[0] for kind in left.kinds], strict=True)),
        list(zip(right.scopes, right.leaves, [kind[0] for kind in right.kinds], strict=True)),
    )
    for i, j in names:
        search.pair(i, j)
    kinds = _unique_pairs(
        list(zip(left.scopes, left.kinds, strict=True)), list(zip(right.scopes, right.kinds, strict=True))
    )
    fresh = [(i, j) for i, j in kinds if search.mates[i] < 0 and j not in search.taken]
    for i, j in fresh:
        search.pair(i, j)
    outside = {i for i, _ in fresh if not left.scopes[i]}
    if outside:  # the only one of its kind in the whole model may well be another one
        pairs = _pairs_of(search)
        ordered = set(longest_increasing([j for _, j in pairs]))
        for position, (i, j) in enumerate(pairs):
            if position not in ordered and i in outside:
                search.mates[i] = -1
                search.taken.discard(j)


def _pairs_of(search: _Search) -> list[tuple[int, int]]:
    return [(i, j) for i, j in enumerate(search.mates) if j >= 0]


def _unique_pairs(left: Sequence[_Key], right: Sequence[_Key]) -> list[tuple[int, int]]:
    """Positions of the keys that occur exactly once on each side."""
    mine, yours = _unique_positions(left), _unique_positions(right)
    return [(i, yours[key]) for key, i in mine.items() if i >= 0 and yours.get(key, -1) >= 0]


def _unique_positions(keys: Sequence[_Key]) -> dict[_Key, int]:
    positions: dict[_Key, int] = {}
    for position, key in enumerate(keys):
        positions[key] = -1 if key in positions else position
    return positions


def _gaps(search: _Search) -> Iterator[tuple[list[int], list[int]]]:
    """What is open on both sides between neighbouring anchors; no gap is empty on a side."""
    pairs = _pairs_of(search)
    chain = [pairs[position] for position in longest_increasing([j for _, j in pairs])]
    borders = [(-1, -1), *chain, (len(search.left.rows), len(search.right.rows))]
    mates, taken = search.mates, set(search.taken)
    for (i, j), (next_i, next_j) in pairwise(borders):
        if next_i - i > 1 and next_j - j > 1:
            mine = [at for at in range(i + 1, next_i) if mates[at] < 0]
            yours = [at for at in range(j + 1, next_j) if at not in taken]
            if mine and yours:
                yield mine, yours


def _match_gap(search: _Search, mine: list[int], yours: list[int], shared: set[str]) -> None:
    by_scope: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for i in mine:
        by_scope[search.left.scopes[i]][0].append(i)
    for j in yours:
        by_scope[search.right.scopes[j]][1].append(j)
    for ours, theirs in by_scope.values():
        if ours and theirs:
            _match_order(search, ours, theirs)
            _match_types(search, ours, theirs)
    alone_left = [i for i in _open(mine, search) if _is_alone(search.left.scopes[i], shared)]
    alone_right = [j for j in yours if j not in search.taken and _is_alone(search.right.scopes[j], shared)]
    if alone_left and alone_right:
        _match_order(search, alone_left, alone_right)


def _open(mine: list[int], search: _Search) -> list[int]:
    return [i for i in mine if search.mates[i] < 0]


def _is_alone(scope: str, shared: set[str]) -> bool:
    return not scope or scope not in shared


def _match_order(search: _Search, mine: list[int], yours: list[int]) -> None:
    """Common order of type and shape."""
    numbers: dict[Kind, int] = {}
    for i, j in match_sequences(
        [numbers.setdefault(search.left.kinds[i], len(numbers)) for i in mine],
        [numbers.setdefault(search.right.kinds[j], len(numbers)) for j in yours],
    ):
        search.pair(mine[i], yours[j])


def _match_types(search: _Search, mine: list[int], yours: list[int]) -> None:
    """What is left is the same types in a row: only their sizes changed."""
    ours, theirs = _open(mine, search), [j for j in yours if j not in search.taken]
    if [search.left.kinds[i][0] for i in ours] == [search.right.kinds[j][0] for j in theirs]:
        for i, j in zip(ours, theirs, strict=True):
            search.pair(i, j)


def _pair_fused(search: _Search) -> None:
    left, right = search.left, search.right
    mine: dict[tuple[str, Kind], list[int]] = defaultdict(list)
    yours: dict[tuple[str, Kind], list[int]] = defaultdict(list)
    for i, mate in enumerate(search.mates):
        if mate < 0:
            mine[left.scopes[i], left.kinds[i]].append(i)
    for j in range(len(right.rows)):
        if j not in search.taken:
            yours[right.scopes[j], right.kinds[j]].append(j)
    for key, ours in mine.items():
        theirs = yours.get(key, [])
        if len(ours) == len(theirs):
            for i, j in zip(ours, theirs, strict=True):
                if NO_ROW in (left.rows[i], right.rows[j]):
                    search.pair(i, j)
