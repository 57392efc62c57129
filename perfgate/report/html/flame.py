"""The flame graph: how long every scope and operator takes now, coloured by how much that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import percent
from perfgate.report.html.colour import (
    CHANGE_WORDS,
    CHANGES,
    GONE,
    HEAT,
    HEAT_WORDS,
    NEW,
    change_colour,
    change_sign,
    heat_colour,
    is_faster,
)
from perfgate.report.html.flame_drawing import BARS, Box, FlameGeometry, draw_flame
from perfgate.report.html.frames import flame_frames, path_of, vanished
from perfgate.report.html.pixels import Bar, detail_steps
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps, time_unit
from perfgate.report.html.view import Choice, Option, Setting, Swatch, Table, View

if TYPE_CHECKING:
    from perfgate.report.html.frames import Frame
    from perfgate.report.html.material import Material
    from perfgate.report.html.view import Columns

_BAR = 0.94  # height of a bar in rows, so that rows stay apart
_HINT = (
    "Width is time now, from the whole execution down to operators and what their time went to. "
    "Click or Enter drills down, Esc goes up, arrows walk."
)


def flame_view(material: Material) -> View:
    """The view of a benchmark; without a before every colour is that of now."""
    frames = flame_frames(material.operators, f"{material.benchmark} on {material.device}")
    geometry = flame_geometry(frames, has_before=material.before is not None)
    steps = range(len(geometry.details))
    return View(
        name="flame",
        title="Flame",
        hint=_HINT,
        tables=(flame_table(frames),),
        draw=lambda: draw_flame(geometry),
        walk=geometry.walk,
        choices=(_scales(), _hues(steps, has_before=material.before is not None)),
        legend=_legend(has_before=material.before is not None),
    )


def flame_geometry(frames: list[Frame], *, has_before: bool) -> FlameGeometry:
    """All columns of the drawing; x is time in `unit`, y falls by one per depth, the strip lies below."""
    total = frames[0].after_ps
    gone = sum(frames[index].before_ps for index in vanished(frames))
    unit = time_unit(max(total, gone))
    floor = max((frame.depth for frame in frames if not frame.is_gone), default=0) + 1
    boxes = _boxes(frames, unit.ps, floor)
    lanes: dict[float, list[Bar]] = {}
    for row, box in enumerate(boxes):
        if box.x1 > box.x0:
            lanes.setdefault(box.y1, []).append(Bar(box.x0, box.x1, row))
    worse_by = [_worse_by(frame) for frame in frames]
    return FlameGeometry(
        boxes=boxes,
        walk=_walk(frames, boxes),
        rows=_row_colours(frames, has_before=has_before),
        hatched=frozenset(
            row
            for row, frame in enumerate(frames)
            if has_before and not frame.is_gone and is_faster(frame.before_ps, frame.after_ps)
        ),
        details=detail_steps(list(lanes.values()), worse_by, max(total, gone, 1) / unit.ps),
        width=max(total, gone, 1) / unit.ps,
        total=max(total, 1) / unit.ps,
        bottom=min(box.y0 for box in boxes),
        strip=-float(floor) - 0.5 if gone else None,
        unit=unit.name,
    )


def _worse_by(frame: Frame) -> float:
    """How bad a frame is for `detail_steps`: its relative change, new ones worst, then the time it adds."""
    if frame.before_ps == 0:
        return 1e12 + frame.after_ps if frame.after_ps else 0.0
    return frame.after_ps / frame.before_ps - 1


def _boxes(frames: list[Frame], unit_ps: int, floor: int) -> list[Box]:
    """Where each frame is drawn; gone ones hang below `floor`, by their depth below the first gone."""
    boxes: list[Box] = []
    for frame in frames:
        if not frame.is_gone:
            top = -float(frame.depth)
        elif frame.parent >= 0 and frames[frame.parent].is_gone:
            top = boxes[frame.parent].y1 - 1
        else:
            top = -float(floor) - 1
        right = frame.left_ps + (frame.after_ps or frame.before_ps)
        boxes.append(Box(frame.left_ps / unit_ps, right / unit_ps, top - _BAR, top))
    return boxes


def _walk(frames: list[Frame], boxes: list[Box]) -> Columns:
    """The boxes and what the keys do."""
    neighbours = _neighbours(frames)
    return {
        "op": [frame.operator for frame in frames],
        "name": [f"{change_sign(frame.before_ps, frame.after_ps)} {shown(frame.name)}" for frame in frames],
        "parent": [frame.parent for frame in frames],
        "x0": [box.x0 for box in boxes],
        "x1": [box.x1 for box in boxes],
        "y0": [box.y0 for box in boxes],
        "y1": [box.y1 for box in boxes],
        "up": [frame.parent for frame in frames],
        "down": [max(frame.children, key=lambda i: frames[i].after_ps, default=-1) for frame in frames],
        "left": [before for before, _ in neighbours],
        "right": [after for _, after in neighbours],
    }


def _neighbours(frames: list[Frame]) -> list[tuple[int, int]]:
    """The frames left and right of each at the same depth, -1 at the ends; gone ones have their own rows."""
    rows: dict[tuple[int, bool], list[int]] = {}
    for index, frame in enumerate(frames):
        rows.setdefault((frame.depth, frame.is_gone), []).append(index)
    found = [(-1, -1)] * len(frames)
    for row in rows.values():
        row.sort(key=lambda index: (frames[index].left_ps, index))
        for place, index in enumerate(row):
            found[index] = (row[place - 1] if place else -1, row[place + 1] if place + 1 < len(row) else -1)
    return found


def path_text(frames: list[Frame], index: int) -> str:
    """The names from below the root to the frame."""
    return ".".join(frames[place].name for place in path_of(frames, index)[1:]) or frames[0].name


def _change(frame: Frame) -> str:
    if frame.before_ps == 0:
        return "new" if frame.after_ps else "="
    return percent(frame.after_ps / frame.before_ps - 1)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _row_colours(frames: list[Frame], *, has_before: bool) -> Columns:
    """Every hue that the choice can put, by frame."""
    before, after = frames[0].before_ps, frames[0].after_ps
    now = [heat_colour(_share(frame.after_ps, after)) for frame in frames]
    if not has_before:
        return {"after": now}
    shares = [(_share(frame.before_ps, before), _share(frame.after_ps, after)) for frame in frames]
    return {
        "change": [
            GONE if frame.is_gone else change_colour(frame.before_ps, frame.after_ps) for frame in frames
        ],
        "share_change": [change_colour(old, new) for old, new in shares],
        "before": [heat_colour(old) for old, _ in shares],
        "after": now,
    }


def flame_table(frames: list[Frame]) -> Table:
    """The same numbers as text, in the order of the drawing."""
    total = frames[0].after_ps
    return Table(
        caption="Time by scope and operator, whole execution",
        header=("frame", "before", "after", "change", "share of the latency"),
        rows=tuple(
            (
                shown(path_text(frames, index)),
                readable_ps(frame.before_ps),
                readable_ps(frame.after_ps),
                _change(frame),
                f"{100 * _share(frame.after_ps, total):.1f} %",
            )
            for index, frame in enumerate(frames)
        ),
        keys=tuple(
            (index, frame.before_ps, frame.after_ps, _worse_by(frame), frame.after_ps)
            for index, frame in enumerate(frames)
        ),
        operators=tuple(frame.operator for frame in frames),
    )


def _scales() -> Choice:
    def show(*, share: bool) -> tuple[Setting, ...]:
        return (
            Setting(model="time-axis", path="visible", value=not share),
            Setting(model="share-axis", path="visible", value=share),
        )

    return Choice(
        label="scale",
        options=(
            Option(label="absolute", settings=show(share=False)),
            Option(label="share", settings=show(share=True)),
        ),
    )


def _hues(steps: range, *, has_before: bool) -> Choice:
    """What the colour says."""

    def paint(column: str) -> tuple[Setting, ...]:
        return tuple(
            Setting(model=f"{BARS}-{step}", path="glyph.fill_color", value={"field": column})
            for step in steps
        )

    words = {"change": "change", "share_change": "change of share", "before": "before", "after": "after"}
    shown_columns = words if has_before else {"after": "after"}
    return Choice(
        label="colour",
        options=tuple(Option(label=word, settings=paint(column)) for column, word in shown_columns.items()),
    )


def _legend(*, has_before: bool) -> tuple[Swatch, ...]:
    heat = tuple(Swatch(colour, text) for colour, text in zip(HEAT, HEAT_WORDS, strict=True))
    if not has_before:
        return heat
    changes = tuple(
        Swatch(colour, text, is_hatched=text.startswith("faster"))
        for colour, text in zip(CHANGES, CHANGE_WORDS, strict=True)
    )
    return (*changes, Swatch(NEW, "new"), Swatch(GONE, "only before"), *heat)
