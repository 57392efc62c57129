"""Which node of one program is which node of the other: anchors, then the gaps between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.diagnose.subsequence import longest_increasing, match_sequences

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from perfgate.diagnose.nodes import NodeList

OPEN = -1
ORDER = 2  # pairs that it takes to speak of an order


def match_nodes(left: NodeList, right: NodeList) -> list[tuple[int, int]]:
    """Pairs of positions, each at most once; scopes of both sides have the same names already."""
    search = _Search(left, right)
    search.pair_unique()
    search.match_scopes()
    search.match_outside()
    return [(i, j) for i, j in enumerate(search.mates) if j != OPEN]


class _Search:
    """Two lists on the way to their alignment: `mates` and `partners` are positions on the other side."""

    __slots__ = ("_has_moved", "_kinds", "_left", "_right", "_shared", "mates", "partners")

    def __init__(self, left: NodeList, right: NodeList) -> None:
        self._left, self._right = left, right
        self.mates = [OPEN] * len(left.rows)
        self.partners = [OPEN] * len(right.rows)
        self._shared = set(left.scopes) & set(right.scopes)
        self._kinds = _numbered(left.kinds, right.kinds)
        self._has_moved = False

    def pair_unique(self) -> None:
        """What is called the same in its scope, or is the only one of its kind there, on both sides.

        A name that was not generated comes first: the copy of an operator must not take its place.
        """
        sides = (self._left, self._right)
        names = _numbered(
            *(zip(side.scopes, side.leaves, [kind[0] for kind in side.kinds], strict=True) for side in sides)
        )
        chosen = [
            [2 * name + is_chosen for name, is_chosen in zip(names[at], side.is_chosen, strict=True)]
            for at, side in enumerate(sides)
        ]
        kinds = _numbered(*(zip(side.scopes, self._kinds[at], strict=True) for at, side in enumerate(sides)))
        for keys in (chosen, names, kinds):
            self._pair_all(_unique_pairs(*keys))
        self._check_order()

    def _check_order(self) -> None:
        """Do both sides run in the same order? What breaks it and has no scope is not known by its kind."""
        pairs = [(i, j) for i, j in enumerate(self.mates) if j != OPEN]
        chain = longest_increasing([j for _, j in pairs])
        self._has_moved = _is_broken(pairs, chain)
        for i, j in set(pairs) - {pairs[at] for at in chain}:
            if not self._left.scopes[i] and self._left.leaves[i] != self._right.leaves[j]:
                self.mates[i] = self.partners[j] = OPEN

    def match_scopes(self) -> None:
        """Common order of kinds inside each shared scope, between what is paired there already."""
        members: dict[str, tuple[list[int], list[int]]] = {scope: ([], []) for scope in self._shared}
        for side, scopes in enumerate((self._left.scopes, self._right.scopes)):
            for position, scope in enumerate(scopes):
                if scope in members:
                    members[scope][side].append(position)
        for mine, yours in members.values():
            for ours, theirs in self._gaps(mine, yours):
                self._match_order(ours, theirs)
                self._match_types(ours, theirs)

    def match_outside(self) -> None:
        """Common order of kinds of what lies in no scope, or in one that the other side does not have."""
        left, right = self._left, self._right
        for mine, yours in self._gaps(range(len(left.rows)), range(len(right.rows))):
            ours = [i for i in mine if not left.scopes[i] or left.scopes[i] not in self._shared]
            theirs = [j for j in yours if not right.scopes[j] or right.scopes[j] not in self._shared]
            self._match_order(ours, theirs)

    def _gaps(self, mine: Sequence[int], yours: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
        """What is open on both sides between neighbouring anchors.

        Anchors are pairs in common order, as many as possible; the others have moved. Where most have moved,
        order means nothing and nothing is yielded.
        """
        places = {j: place for place, j in enumerate(yours)}
        pairs = [(place, places[self.mates[i]]) for place, i in enumerate(mine) if self.mates[i] in places]
        if len(pairs) == len(mine) or len(pairs) == len(yours):
            return
        chain = longest_increasing([place for _, place in pairs])
        if _is_broken(pairs, chain) or (len(pairs) < ORDER and self._has_moved):
            return
        borders = [(-1, -1), *[pairs[at] for at in chain], (len(mine), len(yours))]
        for (i, j), (next_i, next_j) in pairwise(borders):
            if next_i - i > 1 and next_j - j > 1:
                ours = [at for at in mine[i + 1 : next_i] if self.mates[at] == OPEN]
                theirs = [at for at in yours[j + 1 : next_j] if self.partners[at] == OPEN]
                if ours and theirs:
                    yield ours, theirs

    def _match_order(self, mine: Sequence[int], yours: Sequence[int]) -> None:
        """Common order of type and shape."""
        before, after = self._kinds
        found = match_sequences([before[i] for i in mine], [after[j] for j in yours])
        self._pair_all([(mine[i], yours[j]) for i, j in found])

    def _match_types(self, mine: Sequence[int], yours: Sequence[int]) -> None:
        """What is left is the same types in a row: only their sizes changed."""
        ours = [i for i in mine if self.mates[i] == OPEN]
        theirs = [j for j in yours if self.partners[j] == OPEN]
        if [self._left.kinds[i][0] for i in ours] == [self._right.kinds[j][0] for j in theirs]:
            self._pair_all(list(zip(ours, theirs, strict=True)))

    def _pair_all(self, pairs: Iterable[tuple[int, int]]) -> None:
        for i, j in pairs:
            if self.mates[i] == self.partners[j] == OPEN:
                self.mates[i], self.partners[j] = j, i


def _is_broken(pairs: Sequence[tuple[int, int]], chain: Sequence[int]) -> bool:
    """At most half of the pairs stand in common order."""
    return len(pairs) >= ORDER and 2 * len(chain) <= len(pairs)


def _numbered(left: Iterable[Hashable], right: Iterable[Hashable]) -> tuple[list[int], list[int]]:
    """Equal keys as equal numbers: they are compared often."""
    numbers: dict[Hashable, int] = {}
    return (
        [numbers.setdefault(key, len(numbers)) for key in left],
        [numbers.setdefault(key, len(numbers)) for key in right],
    )


def _unique_pairs(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """Positions of the keys that occur exactly once on each side."""
    mine, yours = _unique_positions(left), _unique_positions(right)
    return [(i, yours[key]) for key, i in mine.items() if i != OPEN and yours.get(key, OPEN) != OPEN]


def _unique_positions(keys: Sequence[int]) -> dict[int, int]:
    positions: dict[int, int] = {}
    for position, key in enumerate(keys):
        positions[key] = OPEN if key in positions else position
    return positions
