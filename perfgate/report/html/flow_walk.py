"""What can be selected in the data-flow view, and what each state puts: boxes, lines and where keys lead."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.core.units import readable
from perfgate.report.html.colour import PLAIN, change_colour, change_hatch, change_sign, heat_colour
from perfgate.report.html.flow_columns import HEIGHT, HOST, WIDTH, Box, draw_state
from perfgate.report.html.part_facts import copies_text
from perfgate.report.html.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from perfgate.report.html.flow_columns import Drawn
    from perfgate.report.html.flow_graph import Opened
    from perfgate.report.html.part_facts import PartFacts
    from perfgate.report.html.scope_tree import Part
    from perfgate.report.html.view import Columns

START = 0  # the row that leads back to the start; the whole model is row 1
NAME = 40  # signs of a name in a box
TEXT_ROWS, TEXT_STEP = 3, 40  # heights of the texts above the host's line
AROUND_BOX, AROUND_SCOPE = 3.0, 0.4  # widths that are shown on either side of a selected node or open scope


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRows:
    """The parts that some state shows, by row from 1 on, with everything the drawing says of them."""

    parts: Sequence[Part]
    facts: Sequence[PartFacts]
    states: Sequence[Opened]
    listed: tuple[int, ...]
    has_before: bool

    @property
    def rows(self) -> dict[int, int]:
        """Row by part."""
        return {part: row for row, part in enumerate(self.listed, START + 1)}


def flow_rows(
    parts: Sequence[Part], facts: Sequence[PartFacts], states: Sequence[Opened], *, has_before: bool
) -> FlowRows:
    """The whole model first, then parts in the order in which they run, scopes before what they hold."""
    seen = {0, *(node for state in states for node in state.nodes), *(state.part for state in states)}
    listed = sorted(seen, key=lambda part: (part != 0, parts[part].operators[:1], part))
    return FlowRows(parts=parts, facts=facts, states=states, listed=tuple(listed), has_before=has_before)


def steady_columns(rows: FlowRows, start: str) -> Columns:
    """The columns of the walk that no state changes; `start` is the text of the first row."""
    opens = {state.part: number for number, state in enumerate(rows.states) if number}
    row_of = rows.rows
    inner = rows.listed[1:]
    facts = [rows.facts[part] for part in rows.listed]
    return {
        "op": [-1, *(rows.parts[part].operator for part in rows.listed)],
        "label": [start, *(fact.tip for fact in facts)],
        "name": ["start", *(_name(rows, part) for part in rows.listed)],
        "parent": [-1, START, *(row_of[rows.parts[part].parent] for part in inner)],
        "act": [START, opens.get(0, START), *(opens.get(part, -1) for part in inner)],
        "around": [0.0, 0.0, *(AROUND_SCOPE if part in opens else AROUND_BOX for part in inner)],
    }


def state_columns(rows: FlowRows, number: int) -> tuple[Columns, dict[str, Columns]]:
    """What a state puts into the walk, and into the sources `boxes`, `lines`, `routes` and `texts`."""
    drawn = draw_state(rows.states[number], rows.facts)
    row_of = rows.rows
    places = _places(rows, drawn.boxes)
    keys = _keys(rows.states[number], drawn, row_of, len(rows.listed) + 1)
    walk: Columns = {
        side: [place[index] for place in places] for index, side in enumerate(("x0", "x1", "y0", "y1"))
    }
    seen = {box.part for box in drawn.boxes}
    inside: Columns = {"inside": ["", *(_name(rows, part) if part in seen else "" for part in rows.listed)]}
    return walk | keys | inside, {
        "boxes": _box_columns(rows, drawn, row_of),
        "lines": _line_columns(rows, drawn, row_of),
        "routes": _route_columns(rows, drawn, row_of),
        "texts": _text_columns(rows, drawn, row_of),
    }


def _name(rows: FlowRows, part: int) -> str:
    facts, name = rows.facts[part], shown(rows.parts[part].name, NAME)
    return f"{change_sign(facts.before_ps, facts.after_ps)} {name}" if rows.has_before else name


def _places(rows: FlowRows, boxes: Sequence[Box]) -> list[tuple[int, int, int, int]]:
    """Boxes by row; an open scope's is around all that it shows, a part that is not seen has none."""
    found: dict[int, tuple[int, int, int, int]] = {}
    for box in boxes:
        part = box.part
        while part >= 0:
            x0, x1, y0, y1 = found.get(part, (box.x0, box.x1, box.y0, box.y1))
            found[part] = (min(x0, box.x0), max(x1, box.x1), min(y0, box.y0), max(y1, box.y1))
            part = rows.parts[part].parent
    whole = (0, WIDTH, 0, HEIGHT)
    nothing = (0, 0, 0, 0)
    return [whole, whole, *(found.get(part, nothing) for part in rows.listed[1:])]


def _keys(state: Opened, drawn: Drawn, row_of: Mapping[int, int], count: int) -> Columns:
    """Left and right follow the largest flow, up and down the column; -1 where nothing is."""
    left, right, up, down = ([-1] * count for _ in range(4))
    by_size = sorted(state.edges, key=lambda edge: (edge[2], -edge[0], -edge[1]))
    for source, target, _ in by_size:  # the largest comes last and stays
        first, second = row_of[state.nodes[source]], row_of[state.nodes[target]]
        right[first], left[second] = second, first
    columns: dict[int, list[Box]] = {}
    for box in drawn.boxes:
        columns.setdefault(box.x0, []).append(box)
    for boxes in columns.values():
        column = [row_of[box.part] for box in sorted(boxes, key=lambda box: box.y0)]
        for lower, upper in pairwise(column):
            up[lower], down[upper] = upper, lower
    right[START] = right[START + 1] = row_of[state.nodes[0]] if state.nodes else -1
    return {"left": left, "right": right, "up": up, "down": down}


def _box_columns(rows: FlowRows, drawn: Drawn, row_of: Mapping[int, int]) -> Columns:
    facts = [rows.facts[box.part] for box in drawn.boxes]
    total = max(rows.facts[0].after_ps, 1)
    return {
        "row": [row_of[box.part] for box in drawn.boxes],
        "x0": [box.x0 for box in drawn.boxes],
        "x1": [box.x1 for box in drawn.boxes],
        "y0": [box.y0 for box in drawn.boxes],
        "y1": [box.y1 for box in drawn.boxes],
        "colour": [
            change_colour(fact.before_ps, fact.after_ps)
            if rows.has_before
            else heat_colour(fact.after_ps / total)
            for fact in facts
        ],
        "hatch": [
            change_hatch(fact.before_ps, fact.after_ps) if rows.has_before else PLAIN for fact in facts
        ],
    }


def _line_columns(rows: FlowRows, drawn: Drawn, row_of: Mapping[int, int]) -> Columns:
    lines = drawn.lines
    return _segments((line.x0, line.y0, line.x1, line.y1) for line in lines) | {
        "row": [row_of[line.target] for line in lines],
        "width": [line.width for line in lines],
        "tip": [
            f"{rows.facts[line.source].name} -> {rows.facts[line.target].name}: {readable(line.size, 'B')}"
            for line in lines
        ],
    }


def _route_columns(rows: FlowRows, drawn: Drawn, row_of: Mapping[int, int]) -> Columns:
    routes = [route for route in drawn.routes for _ in range(2)]
    ends = (
        end
        for route in drawn.routes
        for end in ((route.side, route.y, route.x, route.y), (route.x, route.y, route.x, HOST))
    )
    return _segments(ends) | {
        "row": [row_of[route.part] for route in routes],
        "tip": [rows.facts[route.part].tip for route in routes],
    }


def _text_columns(rows: FlowRows, drawn: Drawn, row_of: Mapping[int, int]) -> Columns:
    """Bytes above each route; neighbours stand on different heights, so that none covers the next."""
    routes = sorted(drawn.routes, key=lambda route: (route.x, route.part))
    return {
        "row": [row_of[route.part] for route in routes],
        "x": [route.x for route in routes],
        "y": [HOST + (place % TEXT_ROWS) * TEXT_STEP for place in range(len(routes))],
        "text": [readable(rows.facts[route.part].copies.size, "B") for route in routes],
        "tip": [f"implicit host copies: {copies_text(rows.facts[route.part].copies)}" for route in routes],
    }


def _segments(ends: Iterable[tuple[int, int, int, int]]) -> Columns:
    columns = list(zip(*ends, strict=True)) or [(), (), (), ()]
    return {name: list(columns[place]) for place, name in enumerate(("x0", "y0", "x1", "y1"))}
