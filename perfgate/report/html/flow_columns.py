"""The data-flow drawing as columns: boxes, lines and copy routes of each state, in whole units.

Every state fills the same frame, so one zoom fits all; y grows upwards, and the host is a line above
everything. A box's height grows with the square root of its FLOPs, a line's width with that of its bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.report.html.layered import layered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.report.html.flow_graph import Opened
    from perfgate.report.html.layered import Layout
    from perfgate.report.html.part_facts import PartFacts

WIDTH, HEIGHT, HOST = 10_000, 1_000, 1_040  # the frame of all boxes, and the line of the host above it
BOX = 0.7  # share of a column that a box takes; lines and copy routes share the rest
LEAST_HEIGHT = 0.3  # of a node without FLOPs; the largest is 1 high
LEAST_COLUMNS, LEAST_ROWS = 6, 6  # a small graph is not blown up
THIN, THICK = 0.5, 6.0  # pixels of the smallest and the largest flow
LEVEL = 1e-6  # of places that are equal but for rounding


@dataclass(frozen=True, slots=True)
class Box:
    """A node of a state: its part and where it stands."""

    part: int
    x0: int
    x1: int
    y0: int
    y1: int


@dataclass(frozen=True, slots=True)
class Line:
    """A straight piece of the flow from one part to another; `width` in pixels, `size` in bytes."""

    source: int
    target: int
    size: int
    width: float
    x0: int
    y0: int
    x1: int
    y1: int


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a part's implicit copies: from the side of its box, at `y`, to `x`, and up to the host."""

    part: int
    side: int
    x: int
    y: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One state; `columns` of its graph, places in the frame."""

    columns: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    routes: tuple[Route, ...]


def draw_state(state: Opened, facts: Sequence[PartFacts]) -> Drawn:
    """Lay a state out and put it into the frame."""
    most = max((facts[node].flops for node in state.nodes), default=0)
    heights = [_height(facts[node].flops, most) for node in state.nodes]
    layout = layered(heights, [(source, target) for source, target, _ in state.edges])
    frame = _Frame(max(layout.width, LEAST_COLUMNS), max(layout.height, LEAST_ROWS))
    boxes = tuple(
        Box(
            part=node,
            x0=frame.x(column),
            x1=frame.x(column + BOX),
            y0=frame.y(place - height / 2),
            y1=frame.y(place + height / 2),
        )
        for node, column, place, height in zip(
            state.nodes, layout.columns, layout.places, heights, strict=True
        )
    )
    return Drawn(
        columns=layout.width,
        boxes=boxes,
        lines=tuple(_lines(state, layout, frame)),
        routes=tuple(_routes(boxes, layout, facts, frame)),
    )


def line_width(size: int, largest: int) -> float:
    """Pixels of a flow: thin for none, thick for the largest, by the square root in between."""
    share = math.sqrt(size / largest) if largest else 0.0
    return round(THIN + (THICK - THIN) * share, 2)


def _height(flops: int, most: int) -> float:
    share = math.sqrt(flops / most) if most else 0.0
    return LEAST_HEIGHT + (1 - LEAST_HEIGHT) * share


@dataclass(frozen=True, slots=True)
class _Frame:
    """Columns and places of a layout in units of the frame."""

    columns: int
    rows: float

    def x(self, column: float) -> int:
        return round(WIDTH * column / self.columns)

    def y(self, place: float) -> int:
        return round(HEIGHT * place / self.rows)


def _lines(state: Opened, layout: Layout, frame: _Frame) -> Iterator[Line]:
    largest = max((size for _, _, size in state.edges), default=0)
    for (source, target, size), route in zip(state.edges, layout.routes, strict=True):
        ends = (state.nodes[source], state.nodes[target], size, line_width(size, largest))
        corners = [(frame.x(column), frame.y(place)) for column, place in _corners(route)]
        for (x0, y0), (x1, y1) in pairwise(corners):
            yield Line(*ends, x0, y0, x1, y1)


def _corners(route: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    """From the side of one box to that of the other; bends lie in the middle of the boxes of their column.

    A bend that is level with both neighbours is left out.
    """
    first, last = route[0], route[-1]
    leaves, enters = (BOX, 0.0) if first[0] <= last[0] else (0.0, BOX)
    bends = [
        (column + BOX / 2, place)
        for (_, before), (column, place), (_, after) in zip(route, route[1:], route[2:], strict=False)
        if abs(before - place) > LEVEL or abs(after - place) > LEVEL
    ]
    return [(first[0] + leaves, first[1]), *bends, (last[0] + enters, last[1])]


def _routes(
    boxes: Sequence[Box], layout: Layout, facts: Sequence[PartFacts], frame: _Frame
) -> Iterator[Route]:
    """In the gap right of the box, one beside the other, so that they cross no box."""
    by_column: dict[int, list[Box]] = {}
    for box, column in zip(boxes, layout.columns, strict=True):
        if facts[box.part].copies.count:
            by_column.setdefault(column, []).append(box)
    for column, copying in sorted(by_column.items()):
        for place, box in enumerate(copying, 1):
            x = frame.x(column + BOX + (1 - BOX) * place / (len(copying) + 1))
            yield Route(box.part, box.x1, x, (box.y0 + box.y1) // 2)
