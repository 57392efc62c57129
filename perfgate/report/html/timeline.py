"""The timeline: every kernel on its stream and engine, before above after, with waits and critical path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.colour import CATEGORIES, CHANGE_WORDS, CHANGES, SAME, change_colour
from perfgate.report.html.lanes import (
    ENGINES,
    largest_gap,
    lay_out,
    neighbours,
    side_word,
    sync_edges,
)
from perfgate.report.html.pixels import Bar, detail_steps
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps, time_unit
from perfgate.report.html.timeline_drawing import BARS, TimelineGeometry, draw_timeline
from perfgate.report.html.view import MAIN, Choice, Option, Setting, Swatch, Table, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.report.html.lanes import Lanes, Span
    from perfgate.report.html.material import Material, PageOperator
    from perfgate.report.html.view import Columns

_HINT = (
    "One step, before above after. Wheel zooms, drag moves, click selects, arrows walk, Enter zooms to the "
    "selected kernel, Esc shows all. Hatched: copies that nobody asked for."
)
_BAR = 0.8  # height of a bar in lanes


def timeline_view(material: Material) -> View:
    """The view; with one stream every kernel is on the critical path, so none is outlined."""
    lanes = lay_out(material)
    geometry = timeline_geometry(lanes, material.operators)
    steps = range(len(geometry.details))
    notes = tuple(
        f"{word}: {count} are too short to be listed and not drawn; the trace export has them"
        for word, count in lanes.unlisted
    )
    return View(
        name="timeline",
        title="Timeline",
        hint=_HINT if geometry.path else f"{_HINT} With one stream every kernel is on the critical path.",
        tables=(span_table(lanes), *wait_tables(lanes)),
        draw=lambda: draw_timeline(geometry),
        walk=geometry.walk,
        choices=(_hues(steps),) if material.before is not None else (),
        buttons=_jumps(lanes, geometry),
        legend=_legend(has_before=material.before is not None, has_path=bool(geometry.path)),
        notes=notes,
    )


def timeline_geometry(lanes: Lanes, operators: tuple[PageOperator, ...]) -> TimelineGeometry:
    """All columns of the drawing; x is time in `unit`, lane n lies between -n - 1 and -n."""
    unit = time_unit(lanes.length_ps)
    times = [(operator.before_ps, operator.after_ps) for operator in operators]
    bars: dict[int, list[Bar]] = {}
    for row, span in enumerate(lanes.spans):
        bars.setdefault(span.lane, []).append(Bar(span.start_ps / unit.ps, span.end_ps / unit.ps, row))
    path = frozenset(row for row, span in enumerate(lanes.spans) if span.kernel.critical)
    edges = sync_edges(lanes.spans, lanes.lanes)
    width = max(lanes.length_ps, 1) / unit.ps
    return TimelineGeometry(
        walk=_walk(lanes, unit.ps),
        rows=_row_looks(lanes, times),
        hatched=frozenset(row for row, span in enumerate(lanes.spans) if span.kernel.implicit),
        lane_of=[span.lane for span in lanes.spans],
        lane_names=[lane.text for lane in lanes.lanes],
        details=detail_steps(list(bars.values()), _worse_by(lanes, times), width),
        waits={
            "left": [wait.start_ps / unit.ps for wait in lanes.waits],
            "right": [wait.end_ps / unit.ps for wait in lanes.waits],
            "bottom": [-wait.lane - _BAR for wait in lanes.waits],
            "top": [-float(wait.lane) for wait in lanes.waits],
            "row": [-1] * len(lanes.waits),
            "tip": [_wait_text(lanes, number) for number in range(len(lanes.waits))],
        },
        edges={
            "x0": [lanes.spans[a].end_ps / unit.ps for a, _ in edges],
            "y0": [-lanes.spans[a].lane - _BAR / 2 for a, _ in edges],
            "x1": [lanes.spans[b].start_ps / unit.ps for _, b in edges],
            "y1": [-lanes.spans[b].lane - _BAR / 2 for _, b in edges],
        },
        critical_edges=[
            number
            for number, (a, b) in enumerate(edges)
            if lanes.spans[a].kernel.critical and lanes.spans[b].kernel.critical
        ],
        width=width,
        unit=unit.name,
        path=path if len(path) < len(lanes.spans) else frozenset(),
    )


def _worse_by(lanes: Lanes, times: Sequence[tuple[int, int]]) -> list[float]:
    """By span: how much its operator changed; copies that nobody asked for come before everything else."""

    def of(span: Span) -> float:
        if span.kernel.implicit:
            return 1e12 + span.end_ps - span.start_ps
        if span.operator < 0:
            return 0.0
        before, after = times[span.operator]
        return after / before - 1 if before else float(after > 0)

    return [of(span) for span in lanes.spans]


def _walk(lanes: Lanes, unit_ps: int) -> Columns:
    upper, lower, left, right = neighbours(lanes)
    spans = lanes.spans
    return {
        "op": [span.operator for span in spans],
        "x0": [span.start_ps / unit_ps for span in spans],
        "x1": [span.end_ps / unit_ps for span in spans],
        "y0": [-span.lane - _BAR for span in spans],
        "y1": [-float(span.lane) for span in spans],
        "up": upper,
        "down": lower,
        "left": left,
        "right": right,
    }


def _row_looks(lanes: Lanes, times: Sequence[tuple[int, int]]) -> Columns:
    """Colours by span."""
    changes = [change_colour(before, after) for before, after in times]
    return {
        "engine": [_engine_colour(span.kernel.engine) for span in lanes.spans],
        "change": [changes[span.operator] if span.operator >= 0 else SAME for span in lanes.spans],
    }


def _engine_colour(engine: str) -> str:
    return CATEGORIES[ENGINES.index(engine)] if engine in ENGINES else CATEGORIES[4]


def span_table(lanes: Lanes) -> Table:
    """Every kernel with its times."""
    return Table(
        caption="Kernels of one step",
        header=(
            "kernel", "side", "stream", "engine", "start", "duration", "waited", "slack", "critical", "times",
            "asked for",
        ),
        rows=tuple(
            (
                f"#{span.kernel.owner} {shown(span.kernel.name)}",
                side_word(is_after=lanes.lanes[span.lane].is_after),
                str(span.kernel.stream),
                span.kernel.engine,
                readable_ps(span.start_ps),
                readable_ps(span.kernel.duration_ps),
                readable_ps(span.kernel.parts.wait_ps),
                readable_ps(span.kernel.slack_ps),
                "yes" if span.kernel.critical else "no",
                str(span.kernel.times),
                "no" if span.kernel.implicit else "yes",
            )
            for span in lanes.spans
        ),
        keys=tuple(
            (
                row, int(lanes.lanes[span.lane].is_after), span.kernel.stream, span.kernel.engine,
                span.start_ps, span.kernel.duration_ps, span.kernel.parts.wait_ps, span.kernel.slack_ps,
                int(span.kernel.critical), span.kernel.times,
                int(not span.kernel.implicit),
            )
            for row, span in enumerate(lanes.spans)
        ),
        operators=tuple(span.operator for span in lanes.spans),
    )  # fmt: skip


def wait_tables(lanes: Lanes) -> tuple[Table, ...]:
    """Every gap of a stream with its reason; no table without one."""
    if not lanes.waits:
        return ()
    rows = tuple(
        (
            shown(wait.gap.before),
            side_word(is_after=lanes.lanes[wait.lane].is_after),
            str(wait.gap.stream),
            wait.gap.cause,
            readable_ps(wait.start_ps),
            readable_ps(wait.gap.length_ps),
        )
        for wait in lanes.waits
    )
    header = ("before kernel", "side", "stream", "waits for", "start", "length")
    return (Table(caption="Times in which a stream had nothing to run", header=header, rows=rows),)


def _wait_text(lanes: Lanes, number: int) -> str:
    wait = lanes.waits[number]
    side = side_word(is_after=lanes.lanes[wait.lane].is_after)
    return (
        f"{side}, stream {wait.gap.stream}: {readable_ps(wait.gap.length_ps)} of waiting for the "
        f"{wait.gap.cause} before {shown(wait.gap.before)}"
    )


def _jumps(lanes: Lanes, geometry: TimelineGeometry) -> tuple[Option, ...]:
    gap = largest_gap(lanes)
    if gap is None:
        return ()
    scale = geometry.width / max(lanes.length_ps, 1)
    around = (gap[1] - gap[0]) / 2
    start, end = max(gap[0] - around, 0) * scale, min(gap[1] + around, lanes.length_ps) * scale
    places = (
        Setting(model=MAIN, path="x_range.start", value=start),
        Setting(model=MAIN, path="x_range.end", value=end),
    )
    return (Option(label="largest gap", settings=places),)


def _hues(steps: range) -> Choice:
    def paint(column: str) -> tuple[Setting, ...]:
        return tuple(
            Setting(model=f"{BARS}-{step}", path="glyph.fill_color", value={"field": column})
            for step in steps
        )

    return Choice(
        label="colour",
        options=tuple(Option(label=column, settings=paint(column)) for column in ("engine", "change")),
    )


def _legend(*, has_before: bool, has_path: bool) -> tuple[Swatch, ...]:
    engines = tuple(Swatch(colour, engine) for colour, engine in zip(CATEGORIES, ENGINES, strict=True))
    changes = tuple(Swatch(colour, text) for colour, text in zip(CHANGES, CHANGE_WORDS, strict=True))
    path = (Swatch("#e00000", "outline: critical path"),) if has_path else ()
    return (*engines, *(changes if has_before else ()), *path)
