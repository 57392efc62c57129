"""The comparison's drawings as columns: a waterfall from before to after, and the change of each metric."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from perfgate.core.units import percent
from perfgate.report.html.colour import CHANGES, DANGER, GONE, HATCHED, PLAIN
from perfgate.report.html.compare_rows import TimeRow
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps, time_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import MetricDelta
    from perfgate.report.html.compare_rows import TimeRows
    from perfgate.report.html.view import Columns

MOST_BARS = 25  # operators with a bar of their own; the others are one
BAR = 0.7  # height of a bar in its lane
NAME = 60  # signs of a name beside its lane
WORSE, BETTER, WHOLE = CHANGES[3], CHANGES[1], GONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """Bars from before to after, lane n between -n - .7 and -n; `walk` has a row for each bar."""

    unit: str
    names: tuple[str, ...]
    bars: Columns
    walk: Columns
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLanes:
    """Relative change of each metric in percent, positive is worse, with its interval where it has one."""

    names: tuple[str, ...]
    points: Columns
    low: float
    high: float


def waterfall(rows: TimeRows) -> Waterfall:
    """Before, each change from there on, after: every bar begins where the last one ends."""
    steps = steps_of(rows)
    ends = [rows.before, *accumulate((step.delta for step in steps), initial=rows.before), rows.after]
    starts = [0, *ends[1:-2], 0]
    ends = [rows.before, *ends[2:-1], rows.after]
    labels = ["before", *(step.label for step in steps), "after"]
    unit = time_unit(max(map(abs, (*starts, *ends, 1))))
    left = [min(pair) / unit.ps for pair in zip(starts, ends, strict=True)]
    right = [max(pair) / unit.ps for pair in zip(starts, ends, strict=True)]
    count = len(labels)
    deltas = [None, *(step.delta for step in steps), None]
    bars: Columns = {
        "row": list(range(count)),
        "x0": left,
        "x1": right,
        "y0": [-place - BAR for place in range(count)],
        "y1": [float(-place) for place in range(count)],
        "colour": [WHOLE if delta is None else WORSE if delta > 0 else BETTER for delta in deltas],
        "hatch": [HATCHED if delta is not None and delta < 0 else PLAIN for delta in deltas],
    }
    texts = [
        f"before: {readable_ps(rows.before)}",
        *(step_text(step, rows) for step in steps),
        f"after: {readable_ps(rows.after)}",
    ]
    room = 0.02 * (max(right) - min(left, default=0.0)) or 1.0
    return Waterfall(
        unit=unit.name,
        names=tuple(shown(label, NAME) for label in labels),
        bars=bars,
        walk={
            "op": [-1, *(step.operator for step in steps), -1],
            "label": texts,
            "name": list(labels),
            **{side: bars[side] for side in ("x0", "x1", "y0", "y1")},
            "up": [place - 1 for place in range(count)],
            "down": [*range(1, count), -1],
        },
        low=min(0.0, *left) - room,
        high=max(right) + room,
    )


def steps_of(rows: TimeRows) -> tuple[TimeRow, ...]:
    """The changes with a bar: operators that moved most, all others as one, then what is no operator."""
    moved = [row for row in rows.rows if row.operator >= 0 and row.delta]
    moved.sort(key=lambda row: (-abs(row.delta), row.operator))
    rest = moved[MOST_BARS:]
    others = TimeRow(
        label=f"{len(rest)} other operators",
        kind="",
        before=sum(row.before for row in rest),
        after=sum(row.after for row in rest),
    )
    outside = [row for row in rows.rows if row.operator < 0]
    return (*moved[:MOST_BARS], *([others] if rest else []), *outside)


def step_text(row: TimeRow, rows: TimeRows) -> str:
    """One change in a line."""
    share = f", {row.delta / rows.delta:.1%} of the change".replace("%", " %") if rows.delta else ""
    sign = "+" if row.delta >= 0 else ""
    times = f"{readable_ps(row.before)} -> {readable_ps(row.after)}"
    return f"{row.label}: {times}, {sign}{readable_ps(row.delta)}{share}"


def metric_lanes(deltas: Sequence[MetricDelta]) -> MetricLanes:
    """Metrics that have a relative change; lane n lies at -n."""
    known = [(item, item.relative) for item in deltas if item.relative is not None]
    lows = [100 * (item.low if item.low is not None else value) for item, value in known]
    highs = [100 * (item.high if item.high is not None else value) for item, value in known]
    room = 0.05 * (max(highs, default=0.0) - min(lows, default=0.0)) or 1.0
    return MetricLanes(
        names=tuple(shown(item.metric.name, NAME) for item, _ in known),
        points={
            "row": [-1] * len(known),
            "x": [100 * value for _, value in known],
            "low": lows,
            "high": highs,
            "y": [float(-place) for place in range(len(known))],
            "colour": [DANGER if value > 0 else BETTER if value < 0 else WHOLE for _, value in known],
            "tip": [f"{shown(item.metric.name)}: {percent(value)}" for item, value in known],
        },
        low=min([0.0, *lows]) - room,
        high=max([0.0, *highs]) + room,
    )
