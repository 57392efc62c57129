"""Layered drawing of a graph: columns by depth, few crossings, straight chains.

The method of Sugiyama, Tagawa and Toda (1981): long edges get a place in every column they cross, columns are
ordered by the mean place of their neighbours, and places are then pulled towards those means as far as the
gaps allow. Deterministic: equal graphs give equal numbers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SWEEPS = 4  # there and back, twice: further ones change little
MOST_BENDS = 4000  # places for long edges; the longest edges beyond it are drawn straight
GAP, BEND_GAP = 0.4, 0.15  # between a node and its neighbour of a column, and between two bends
BEND = 0.1  # height of an edge that passes a column


@dataclass(frozen=True, slots=True)
class Layout:
    """Column and place of each node's centre, and for each edge its (column, place) points, ends included."""

    columns: tuple[int, ...]
    places: tuple[float, ...]
    routes: tuple[tuple[tuple[int, float], ...], ...]
    height: float

    @property
    def width(self) -> int:
        """Number of columns."""
        return max(self.columns, default=-1) + 1


def layered(heights: Sequence[float], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lay out nodes that are numbered in the order in which they run; no edge leads to its own node.

    An edge against that order (closed scopes can make one) counts the other way round for the columns.
    """
    columns = _columns(len(heights), edges)
    all_heights, all_columns = list(heights), list(columns)
    chains = _chains(edges, columns, all_heights, all_columns)
    links: dict[int, list[int]] = defaultdict(list)
    for chain in chains:
        for left, right in pairwise(chain):
            links[left].append(right)
            links[right].append(left)
    rows = _ordered(all_columns, links)
    places = _placed(rows, all_heights, all_columns, links)
    routes = []
    for (source, target), chain in zip(edges, chains, strict=True):
        points = tuple((all_columns[item], places[item]) for item in chain)
        routes.append(points if columns[source] <= columns[target] else points[::-1])
    height = max((places[item] + all_heights[item] / 2 for item in range(len(places))), default=0.0)
    return Layout(columns, tuple(places[: len(heights)]), tuple(routes), height)


def _columns(count: int, edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The longest way from the left; what nothing leads to stands right before what it feeds."""
    after: dict[int, set[int]] = defaultdict(set)
    fed = set()
    for pair in edges:
        first, second = sorted(pair)
        after[first].add(second)
        fed.add(second)
    columns = [0] * count
    for node in range(count):
        for follower in after[node]:
            columns[follower] = max(columns[follower], columns[node] + 1)
    for node in range(count):
        if node not in fed and after[node]:
            columns[node] = min(columns[follower] for follower in after[node]) - 1
    return tuple(columns)


def _chains(
    edges: Sequence[tuple[int, int]], columns: Sequence[int], heights: list[float], all_columns: list[int]
) -> list[list[int]]:
    """Nodes and bends of each edge from left to right; `heights` and `all_columns` get the bends as well."""
    spans = [abs(columns[source] - columns[target]) for source, target in edges]
    left = MOST_BENDS
    bent = set()
    for index in sorted(range(len(edges)), key=lambda item: (spans[item], item)):
        left -= max(spans[index] - 1, 0)
        if left < 0:
            break
        bent.add(index)
    chains = []
    for index, pair in enumerate(edges):
        source, target = sorted(pair, key=lambda node: columns[node])
        chain = [source]
        if index in bent:
            for column in range(columns[source] + 1, columns[target]):
                chain.append(len(heights))
                heights.append(BEND)
                all_columns.append(column)
        chains.append([*chain, target])
    return chains


def _ordered(columns: Sequence[int], links: dict[int, list[int]]) -> list[list[int]]:
    """Nodes and bends by column, each column ordered by the mean rank of its neighbours in the last one."""
    rows: list[list[int]] = [[] for _ in range(max(columns, default=-1) + 1)]
    for item, column in enumerate(columns):
        rows[column].append(item)
    rank = {item: float(place) for row in rows for place, item in enumerate(row)}
    for sweep in range(SWEEPS):
        is_forward = sweep % 2 == 0
        for row in rows if is_forward else rows[::-1]:
            wanted = {item: _mean_of(item, rank, columns, links, is_forward=is_forward) for item in row}
            row.sort(key=lambda item: (wanted[item], rank[item], item))
            rank.update((item, float(place)) for place, item in enumerate(row))
    return rows


def _placed(
    rows: list[list[int]], heights: Sequence[float], columns: Sequence[int], links: dict[int, list[int]]
) -> list[float]:
    """Centres, the least edge of all at 0."""
    places: dict[int, float] = {}
    for row in rows:
        centres = spread([0.0] * len(row), [heights[item] for item in row])
        places.update(zip(row, centres, strict=True))
    for sweep in range(SWEEPS):
        is_forward = sweep % 2 == 0
        for row in rows if is_forward else rows[::-1]:
            wanted = [_mean_of(item, places, columns, links, is_forward=is_forward) for item in row]
            places.update(zip(row, spread(wanted, [heights[item] for item in row]), strict=True))
    least = min((places[item] - heights[item] / 2 for item in places), default=0.0)
    return [places[item] - least for item in range(len(columns))]


def _mean_of(
    item: int,
    values: dict[int, float],
    columns: Sequence[int],
    links: dict[int, list[int]],
    *,
    is_forward: bool,
) -> float:
    """Mean of the neighbours on the side where the sweep comes from; its own value where there are none."""
    own = columns[item]
    near = [values[other] for other in links[item] if (columns[other] < own) == is_forward]
    return sum(near) / len(near) if near else values[item]


def spread(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Centres as near to the wanted ones as the gaps allow, by least squares, in the given order.

    Pool adjacent violators: with the gaps taken off, places must not fall; runs that would fall share a mean.
    """
    offsets, reach = [], 0.0
    for place, height in enumerate(heights):
        if place:
            reach += _apart(heights[place - 1], height)
        offsets.append(reach)
    runs: list[tuple[float, int]] = []  # mean and length
    for value, offset in zip(wanted, offsets, strict=True):
        mean, length = value - offset, 1
        while runs and runs[-1][0] > mean:
            other, count = runs.pop()
            mean, length = (mean * length + other * count) / (length + count), length + count
        runs.append((mean, length))
    means = [mean for mean, length in runs for _ in range(length)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _apart(height: float, other: float) -> float:
    """Least distance of the centres of two neighbours."""
    gap = BEND_GAP if height == other == BEND else GAP
    return (height + other) / 2 + gap
