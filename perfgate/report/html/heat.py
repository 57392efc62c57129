"""The heat map: when each engine and type of operator is busy; a brushed time opens in the timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.colour import SHADES
from perfgate.report.html.heat_drawing import HeatGeometry, HeatMap, draw_heat, map_bottom, map_height
from perfgate.report.html.intensity import (
    dot_text,
    intensity_dots,
    intensity_legend,
    intensity_plot,
    intensity_table,
)
from perfgate.report.html.lanes import ENGINES, listed, longest_step, side_word, step_offsets
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps, time_unit
from perfgate.report.html.view import MAIN, Choice, Option, Setting, Swatch, Table, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.core.execution_profile import KernelRow, Profile
    from perfgate.report.html.material import Material
    from perfgate.report.html.view import Columns

BINS = 120  # along the time axis
_MOST_GROUPS = 10  # types of operators with a row of their own
OTHERS = "other types"
_LIMITS = (0.01, 0.25, 0.5, 0.75)  # of a bin's time; SHADES lie between them
_HINT = (
    "How busy each engine is over one step, before above after; the second choice shows types of operators. "
    "Drag over a time to see it in the timeline. Below: operators by FLOP per byte and share of the latency."
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the map: busy time in picoseconds per bin."""

    is_after: bool
    group: str
    busy_ps: tuple[int, ...]


def heat_view(material: Material) -> View:
    """The view, with its two maps of the same bins."""
    engines = heat_rows(material, lambda row: row.engine, ENGINES)
    types = heat_rows(material, operator_type, _largest_types(material))
    length = longest_step(material)
    geometry = heat_geometry({"engines": engines, "types": types}, length)
    dots = intensity_dots(material)
    below = intensity_plot(dots, material.after.machine, len(geometry.walk["op"]))
    return View(
        name="heat",
        title="Heat",
        hint=_HINT,
        tables=(
            heat_table("engine", engines, length),
            heat_table("type of operator", types, length),
            intensity_table(dots, material.after.machine),
        ),
        draw=lambda: draw_heat(geometry, below),
        walk={
            "op": [*geometry.walk["op"], *(dot.operator for dot in dots)],
            "label": [*geometry.walk["label"], *map(dot_text, dots)],
        },
        choices=(_tabs(geometry),),
        brushes="timeline",
        legend=(
            *(Swatch(colour, text) for colour, text in zip(SHADES, _shade_words(), strict=True)),
            *intensity_legend(),
        ),
    )


def operator_type(row: KernelRow) -> str:
    """The type of a kernel's operator; what the compiler put in is named as such."""
    return f"{row.op} (implicit)" if row.implicit else row.op


def _largest_types(material: Material) -> tuple[str, ...]:
    """The types that take the most time on either side, and a row for all others."""
    totals: dict[str, int] = {}
    for _, profile in material.sides:
        for row in listed(profile):
            totals[operator_type(row)] = totals.get(operator_type(row), 0) + row.duration_ps
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    return (*ranked[:_MOST_GROUPS], *((OTHERS,) if len(ranked) > _MOST_GROUPS else ()))


def heat_rows(
    material: Material, group_of: Callable[[KernelRow], str], groups: tuple[str, ...]
) -> tuple[Row, ...]:
    """Busy time per side, group and bin; a group that never works has no row."""
    length = longest_step(material)
    found = []
    for word, profile in material.sides:
        busy = _busy_bins(profile, group_of, groups, length)
        found += [Row(word == "after", group, tuple(busy[group])) for group in groups if any(busy[group])]
    return tuple(found)


def _busy_bins(
    profile: Profile, group_of: Callable[[KernelRow], str], groups: tuple[str, ...], length: int
) -> dict[str, list[int]]:
    """Each kernel's time shared out to the bins it runs in, exactly."""
    busy = {group: [0] * BINS for group in groups}
    edges = bin_edges(length)
    offsets = step_offsets(profile)
    for row in listed(profile):
        name = group_of(row)
        bins = busy[name] if name in busy else busy.get(OTHERS)
        if bins is None:
            continue
        start = offsets[row.program] + row.start_ps
        end = start + row.duration_ps
        first = start * BINS // max(length, 1)
        for place in range(max(first - 1, 0), BINS):
            if edges[place] >= end:
                break
            bins[place] += max(min(end, edges[place + 1]) - max(start, edges[place]), 0)
    return busy


def bin_edges(length_ps: int) -> list[int]:
    """Whole picoseconds from 0 to the length, so that the bins hold all of it."""
    return [length_ps * place // BINS for place in range(BINS + 1)]


def heat_geometry(maps: dict[str, tuple[Row, ...]], length_ps: int) -> HeatGeometry:
    """Columns of both maps; x is time in the timeline's unit. Bins in which nothing runs are not drawn."""
    unit = time_unit(length_ps)
    edges = bin_edges(length_ps)
    labels: list[str] = []
    drawn = []
    for name, rows in maps.items():
        cells = [
            (line, place) for line, row in enumerate(rows) for place in range(BINS) if row.busy_ps[place]
        ]
        shares = [
            rows[line].busy_ps[place] / max(edges[place + 1] - edges[place], 1) for line, place in cells
        ]
        first = len(labels)
        labels += [
            _label(rows[line], (edges[place], edges[place + 1]), share)
            for (line, place), share in zip(cells, shares, strict=True)
        ]
        columns: Columns = {
            "left": [edges[place] / unit.ps for _, place in cells],
            "right": [edges[place + 1] / unit.ps for _, place in cells],
            "bottom": [-line - 0.9 for line, _ in cells],
            "top": [-float(line) for line, _ in cells],
            "colour": [_shade(share) for share in shares],
            "row": list(range(first, len(labels))),
        }
        names = [f"{side_word(is_after=row.is_after)}  {shown(row.group, 40)}" for row in rows]
        drawn.append(HeatMap(name=name, columns=columns, names=names))
    walk: Columns = {"op": [-1] * len(labels), "label": labels}
    return HeatGeometry(maps=tuple(drawn), walk=walk, width=max(length_ps, 1) / unit.ps, unit=unit.name)


def _label(row: Row, times: tuple[int, int], share: float) -> str:
    when = f"{readable_ps(times[0])} to {readable_ps(times[1])}"
    return f"{side_word(is_after=row.is_after)}  {shown(row.group, 40)}   {when}   busy {100 * share:.0f} %"


def _shade(share: float) -> str:
    return SHADES[sum(share > limit for limit in _LIMITS)]


def _shade_words() -> tuple[str, ...]:
    return ("up to 1 % busy", "1 to 25 %", "25 to 50 %", "50 to 75 %", "over 75 %")


def heat_table(kind: str, rows: tuple[Row, ...], length_ps: int) -> Table:
    """Busy share of each row over the whole step and in each tenth of it: bins of the drawing, summed."""
    edges = bin_edges(length_ps)
    tenth = BINS // 10
    lines = []
    for row in rows:
        parts = [sum(row.busy_ps[place : place + tenth]) for place in range(0, BINS, tenth)]
        spans = [edges[place + tenth] - edges[place] for place in range(0, BINS, tenth)]
        lines.append(
            (
                shown(row.group, 40),
                side_word(is_after=row.is_after),
                _percent(sum(row.busy_ps), length_ps),
                *(_percent(part, span) for part, span in zip(parts, spans, strict=True)),
            )
        )
    tenths = tuple(f"{10 * place}-{10 * place + 10} %" for place in range(10))
    return Table(
        caption=f"Busy share by {kind}, of the whole step ({readable_ps(length_ps)}) and of each tenth of it",
        header=(kind, "side", "whole", *tenths),
        rows=tuple(lines),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0.0 %"


def _tabs(geometry: HeatGeometry) -> Choice:
    def show(chosen: HeatMap) -> tuple[Setting, ...]:
        return (
            *(
                Setting(model=f"heat-{part}-{item.name}", path="visible", value=item is chosen)
                for item in geometry.maps
                for part in ("cells", "axis")
            ),
            Setting(model=MAIN, path="y_range.start", value=map_bottom(chosen)),
            Setting(model=MAIN, path="height", value=map_height(chosen)),
        )

    return Choice(
        label="rows", options=tuple(Option(label=item.name, settings=show(item)) for item in geometry.maps)
    )
