"""The data-flow drawing as columns: boxes, lines and copy routes of all states, in whole units.

A column of the graph is 100 units wide and a node at most 100 high; y grows upwards, the host is a line above
everything. A box's height grows with the square root of its FLOPs, a line's width with that of its bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.core.units import readable
from perfgate.report.html.colour import change_colour, change_hatch
from perfgate.report.html.layered import GAP, layered
from perfgate.report.html.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perfgate.report.html.flow_graph import Opened
    from perfgate.report.html.layered import Layout
    from perfgate.report.html.part_facts import PartFacts
    from perfgate.report.html.scope_tree import Part

UNIT = 100  # of a column's width and of the largest node's height
BOX = 0.7  # share of a column that a box takes; lines and copy routes share the rest
LEAST_HEIGHT = 0.3  # of a node without FLOPs
LEAST_COLUMNS, LEAST_ROWS = 8, 6  # a small graph is not blown up
THIN, THICK = 0.5, 6.0  # pixels of the smallest and the largest flow
COPY_WIDTH = 5.0  # pixels of an abnormal copy
LABEL = 18  # signs of a name in a box


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A node of one state; `act` is the state that opens it, -1 for none."""

    state: int
    part: int
    x0: int
    x1: int
    y0: int
    y1: int
    colour: str
    hatch: str
    label: str
    tip: str
    operator: int
    act: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight piece of a flow (`size` in bytes) or of a copy's way to the host."""

    state: int
    source: int
    target: int
    x0: int
    y0: int
    x1: int
    y1: int
    width: float
    size: int
    tip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The ways of a part's implicit copies to the host and back, with the text beside them."""

    lines: tuple[Line, Line]
    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One state with its extent; the host lies at `host`."""

    width: int
    height: int
    host: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    routes: tuple[Route, ...]


def draw_states(
    parts: Sequence[Part], facts: Sequence[PartFacts], states: Sequence[Opened]
) -> tuple[Drawn, ...]:
    """Every state, laid out on its own."""
    opens = {state.part: number for number, state in enumerate(states) if number}
    return tuple(_Pen(parts, facts, opens).draw(number, state) for number, state in enumerate(states))


@dataclass(frozen=True, slots=True)
class _Pen:
    parts: Sequence[Part]
    facts: Sequence[PartFacts]
    opens: Mapping[int, int]

    def draw(self, number: int, state: Opened) -> Drawn:
        most = max((self.facts[node].flops for node in state.nodes), default=0)
        heights = [_height(self.facts[node].flops, most) for node in state.nodes]
        layout = layered(heights, [(source, target) for source, target, _ in state.edges])
        rows = max(layout.height, LEAST_ROWS)
        boxes = tuple(self._boxes(number, state, layout, heights))
        host = round((rows + 2 * GAP) * UNIT)
        return Drawn(
            width=max(layout.width, LEAST_COLUMNS) * UNIT,
            height=host + round(GAP * UNIT),
            host=host,
            boxes=boxes,
            lines=tuple(self._lines(number, state, layout)),
            routes=tuple(self._routes(boxes, layout, host)),
        )

    def _boxes(self, number: int, state: Opened, layout: Layout, heights: Sequence[float]) -> Iterator[Box]:
        for place, node in enumerate(state.nodes):
            part, facts = self.parts[node], self.facts[node]
            left = layout.columns[place] * UNIT
            centre, half = layout.places[place], heights[place] / 2
            act = self.opens.get(node, -1)
            yield Box(
                state=number,
                part=node,
                x0=left,
                x1=left + round(BOX * UNIT),
                y0=round((centre - half) * UNIT),
                y1=round((centre + half) * UNIT),
                colour=change_colour(facts.before_ps, facts.after_ps),
                hatch=change_hatch(facts.before_ps, facts.after_ps),
                label=shown(part.name, LABEL),
                tip=facts.tip,
                operator=part.operator,
                act=act,
            )

    def _lines(self, number: int, state: Opened, layout: Layout) -> Iterator[Line]:
        largest = max((size for _, _, size in state.edges), default=0)
        for (source, target, size), route in zip(state.edges, layout.routes, strict=True):
            first, second = state.nodes[source], state.nodes[target]
            points = _points(route)
            tip = f"{self.facts[first].name} -> {self.facts[second].name}: {readable(size, 'B')}"
            for (x0, y0), (x1, y1) in pairwise(points):
                yield Line(
                    state=number, source=first, target=second, x0=x0, y0=y0, x1=x1, y1=y1,
                    width=line_width(size, largest), size=size, tip=tip,
                )  # fmt: skip

    def _routes(self, boxes: Sequence[Box], layout: Layout, host: int) -> Iterator[Route]:
        """In the gap right of the box, one beside the other, so that they cross no box."""
        by_column: dict[int, list[Box]] = {}
        for box, column in zip(boxes, layout.columns, strict=True):
            if self.facts[box.part].copies.count:
                by_column.setdefault(column, []).append(box)
        for column in sorted(by_column):
            for place, box in enumerate(by_column[column], 1):
                yield self._route(box, place / (len(by_column[column]) + 1), host)

    def _route(self, box: Box, share: float, host: int) -> Route:
        facts = self.facts[box.part]
        x = box.x1 + round(share * (1 - BOX) * UNIT)
        y = (box.y0 + box.y1) // 2
        size = facts.copies.size
        common = {"state": box.state, "source": box.part, "target": box.part, "size": size, "tip": facts.tip}
        ends = ((box.x1, y, x, y), (x, y, x, host))
        lines = tuple(Line(**common, x0=x0, y0=y0, x1=x1, y1=y1, width=COPY_WIDTH) for x0, y0, x1, y1 in ends)
        return Route(lines=(lines[0], lines[1]), x=x, y=host, text=readable(size, "B"))


def line_width(size: int, largest: int) -> float:
    """Pixels of a flow: thin for none, thick for the largest, by the square root in between."""
    share = math.sqrt(size / largest) if largest else 0.0
    return round(THIN + (THICK - THIN) * share, 2)


def _height(flops: int, most: int) -> float:
    share = math.sqrt(flops / most) if most else 0.0
    return LEAST_HEIGHT + (1 - LEAST_HEIGHT) * share


def _points(route: Sequence[tuple[int, float]]) -> list[tuple[int, int]]:
    """Corners in units: from the side of one box to the side of the other, bends in the middle of a box's width."""
    middle, box = round(BOX * UNIT / 2), round(BOX * UNIT)
    last = len(route) - 1
    is_right = route[0][0] <= route[-1][0]
    points = []
    for place, (column, centre) in enumerate(route):
        is_exit = place == 0
        shift = middle if 0 < place < last else (box if is_exit == is_right else 0)
        points.append((column * UNIT + shift, round(centre * UNIT)))
    kept = [points[0]]
    for place in range(1, len(points) - 1):
        if not _is_straight(kept[-1], points[place], points[place + 1]):
            kept.append(points[place])
    return [*kept, points[-1]]


def _is_straight(first: tuple[int, int], middle: tuple[int, int], last: tuple[int, int]) -> bool:
    return (middle[0] - first[0]) * (last[1] - first[1]) == (middle[1] - first[1]) * (last[0] - first[0])
