"""Common order of two lists: the longest increasing run of positions, and the longest common subsequence."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Pairs: TypeAlias = list[tuple[int, int]]

WINDOW = 256  # elements of each side that are matched at once
_TRUSTED = 192  # of them: what lies behind may belong to the next window
_MOST_EDITS = 256  # in one window; beyond it the two sides have nothing in common worth the search


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Positions of a longest strictly increasing subsequence (patience sorting, n log n)."""
    ends: list[int] = []
    positions: list[int] = []
    previous: list[int] = []
    for position, value in enumerate(values):
        length = bisect_left(ends, value)
        previous.append(positions[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            positions.append(position)
        else:
            ends[length] = value
            positions[length] = position
    chain = []
    position = positions[-1] if positions else -1
    while position >= 0:
        chain.append(position)
        position = previous[position]
    return chain[::-1]


def match_sequences(left: Sequence[int], right: Sequence[int]) -> Pairs:
    """Positions of equal elements in common order: exact up to `WINDOW`, window by window beyond.

    Among equal neighbours the first of `left` counts as missing, since a compiler fuses what follows a kernel
    into it, and the last of `right` as new, since a copy follows what it copies. In a long list a stretch
    of more than a window that only one side has, of elements that the other side has as well, may cost the
    matches behind it up to the common end.
    """
    shorter = min(len(left), len(right))
    head = 0
    while head < shorter and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < shorter - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    pairs = [(position, position) for position in range(head)]
    if head + tail < shorter:
        pairs += _match_shared(left, right, range(head, len(left) - tail), range(head, len(right) - tail))
    pairs += [(len(left) - step, len(right) - step) for step in range(tail, 0, -1)]
    _match_early(pairs, right)
    _match_late(pairs, left)
    return pairs


def _match_early(pairs: Pairs, right: Sequence[int]) -> None:
    """Move open elements of `right` behind equal ones."""
    last = -1
    for at, (i, j) in enumerate(pairs):
        if last + 1 < j and right[last + 1] == right[j]:
            pairs[at] = (i, last + 1)
        last = pairs[at][1]


def _match_late(pairs: Pairs, left: Sequence[int]) -> None:
    """Move open elements of `left` before equal ones."""
    following = len(left)
    for at in range(len(pairs) - 1, -1, -1):
        i, j = pairs[at]
        if i < following - 1 and left[following - 1] == left[i]:
            pairs[at] = (following - 1, j)
        following = pairs[at][0]


def _match_shared(left: Sequence[int], right: Sequence[int], mine: range, yours: range) -> Pairs:
    """Match what both sides have at all between the equal ends."""
    shared = {left[i] for i in mine} & {right[j] for j in yours}
    kept_left = [i for i in mine if left[i] in shared]
    kept_right = [j for j in yours if right[j] in shared]
    found = _match_windows([left[i] for i in kept_left], [right[j] for j in kept_right])
    return [(kept_left[i], kept_right[j]) for i, j in found]


def _match_windows(left: Sequence[int], right: Sequence[int]) -> Pairs:
    pairs: Pairs = []
    at, to = 0, 0
    while at < len(left) and to < len(right):
        found = common_subsequence(left[at : at + WINDOW], right[to : to + WINDOW])
        if len(left) - at <= WINDOW and len(right) - to <= WINDOW:
            return pairs + [(at + i, to + j) for i, j in found]
        step = (_TRUSTED, _TRUSTED)
        for i, j in found:
            if max(i, j) >= _TRUSTED:
                step = (i, j)
                break
            pairs.append((at + i, to + j))
        at, to = at + step[0], to + step[1]
    return pairs


def common_subsequence(left: Sequence[int], right: Sequence[int]) -> Pairs:
    """A longest common subsequence by Myers' greedy search: n plus the square of the differences.

    E. W. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986). Empty when the
    sides differ in more than `_MOST_EDITS` elements.
    """
    size, other = len(left), len(right)
    reach = {1: 0}  # by diagonal (i - j): how far into `left` so many edits come
    trace: list[dict[int, int]] = []
    for edits in range(min(size + other, _MOST_EDITS) + 1):
        trace.append(reach)
        following = {}
        for diagonal in range(-edits, edits + 1, 2):
            source = _source(reach, diagonal, edits)
            i = reach[source] + (source < diagonal)
            j = i - diagonal
            while i < size and j < other and left[i] == right[j]:
                i += 1
                j += 1
            following[diagonal] = i
            if i >= size and j >= other:
                return _walk_back(trace, size, size - other)
        reach = following
    return []


def _source(reach: dict[int, int], diagonal: int, edits: int) -> int:
    """The diagonal that the best path comes from: above after an insertion, below after a deletion."""
    if diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1]):
        return diagonal + 1
    return diagonal - 1


def _walk_back(trace: list[dict[int, int]], i: int, diagonal: int) -> Pairs:
    pairs: Pairs = []
    for edits in range(len(trace) - 1, -1, -1):
        source = _source(trace[edits], diagonal, edits)
        start = trace[edits][source]
        turn = start + (source < diagonal)
        pairs += [(position, position - diagonal) for position in range(i - 1, turn - 1, -1)]
        i, diagonal = start, source
    return pairs[::-1]
