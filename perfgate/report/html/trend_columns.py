"""The history's drawings as columns: one strip per metric over the same commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.units import PS_PER_SECOND, readable
from perfgate.report.html.byte_axis import byte_unit
from perfgate.report.html.series import LevelChange, Value, level_changes, record_value
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import time_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.metric import Metric
    from perfgate.core.record import Record
    from perfgate.report.html.material import Material
    from perfgate.report.html.view import Columns

_LARGE = ((1e9, "G "), (1e6, "M "))  # beyond it an axis would need powers of ten
HALF = 0.5  # of the width that belongs to a commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A place of the x axis: a commit with its accepted baseline, or one of the two measured sides."""

    commit: str
    label: str
    date: str
    record: Record

    @property
    def accepted(self) -> str:
        """Why this baseline accepts a regression; "" where it does not."""
        return shown(self.record.provenance.accepted_regression)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """One metric: values by moment, changes of level; the drawing's values are in `unit`, `factor` of it."""

    metric: Metric
    values: tuple[Value | None, ...]
    changes: tuple[LevelChange, ...]
    unit: str
    factor: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendColumns:
    """All strips over the moments; `walk` has a row for each moment."""

    moments: tuple[Moment, ...]
    strips: tuple[Strip, ...]
    walk: Columns


def moments_of(material: Material) -> tuple[Moment, ...]:
    """Accepted baselines, oldest first, then what was measured before and now."""
    past = [
        Moment(commit=point.commit, label=point.commit[:7], date=point.date[:10], record=point.record)
        for point in material.history
    ]
    measured = [
        Moment(commit="", label=name, date="", record=record)
        for name, record in zip(("before", "now"), material.records, strict=True)
        if record is not None
    ]
    return (*past, *measured)


def trend_columns(moments: Sequence[Moment]) -> TrendColumns:
    """A strip for each metric that some record has, in the order of the newest record, sampled ones first."""
    metrics: dict[str, Metric] = {}
    for moment in reversed(moments):
        for metric in moment.record.ruler.metrics:
            metrics.setdefault(metric.name, metric)
    chosen = sorted(metrics.values(), key=lambda metric: not metric.is_sampled)
    strips = tuple(strip for metric in chosen if (strip := _strip(metric, moments)) is not None)
    bottom, top = (strips[0].low, strips[0].high) if strips else (0.0, 1.0)
    count = len(moments)
    walk: Columns = {
        "op": [-1] * count,
        "label": [_label(moment, place, strips) for place, moment in enumerate(moments)],
        "name": [moment.label for moment in moments],
        "copy": [moment.commit for moment in moments],
        "x0": [place - HALF for place in range(count)],
        "x1": [place + HALF for place in range(count)],
        "y0": [bottom] * count,
        "y1": [top] * count,
        "left": [place - 1 for place in range(count)],
        "right": [*range(1, count), -1][:count],
    }
    return TrendColumns(moments=tuple(moments), strips=strips, walk=walk)


def strip_points(strip: Strip, moments: Sequence[Moment]) -> Columns:
    """Places, values and interval of the moments that have one; `accepted` draws them as such."""
    rows = [(place, value) for place, value in enumerate(strip.values) if value is not None]
    changed = {change.place for change in strip.changes}
    return {
        "row": [place for place, _ in rows],
        "x": [float(place) for place, _ in rows],
        "y": [value.value / strip.factor for _, value in rows],
        "low": [value.low / strip.factor for _, value in rows],
        "high": [value.high / strip.factor for _, value in rows],
        "is_change": [int(place in changed) for place, _ in rows],
        "is_accepted": [int(bool(moments[place].accepted)) for place, _ in rows],
        "tip": [_tip(strip, moments[place], place) for place, _ in rows],
    }


def value_text(value: Value, unit: str) -> str:
    """`2.23 s (2.21 s to 2.25 s)`; without the interval where it has no width."""
    text = readable(value.value, unit)
    if value.low == value.high:
        return text
    return f"{text} ({readable(value.low, unit)} to {readable(value.high, unit)})"


def _strip(metric: Metric, moments: Sequence[Moment]) -> Strip | None:
    values = tuple(record_value(moment.record, metric) for moment in moments)
    known = [value for value in values if value is not None]
    if not known:
        return None
    lows, highs = [value.low for value in known], [value.high for value in known]
    unit, factor = _axis(metric.unit, max(map(abs, (*lows, *highs))))
    low, high = min(lows) / factor, max(highs) / factor
    room = 0.1 * (high - low) or 0.1 * abs(high) or 1.0
    return Strip(
        metric=metric,
        values=values,
        changes=level_changes(values, metric),
        unit=unit,
        factor=factor,
        low=low - room,
        high=high + room,
    )


def _axis(unit: str, largest: float) -> tuple[str, float]:
    """Unit of the drawing and what a value of the metric is divided by."""
    if unit == "s":
        found = time_unit(int(largest * PS_PER_SECOND))
        return found.name, found.ps / PS_PER_SECOND
    if unit == "B":
        size = byte_unit(largest)
        return size.name, float(size.size)
    factor, prefix = next((step for step in _LARGE if largest >= step[0]), (1.0, ""))
    return f"{prefix}{unit}", factor


def _label(moment: Moment, place: int, strips: Sequence[Strip]) -> str:
    texts = [f"{moment.label} {moment.date}".strip()]
    for strip in strips:
        value = strip.values[place]
        if value is not None:
            texts.append(f"{strip.metric.name} {value_text(value, strip.metric.unit)}")
    if moment.accepted:
        texts.append(f"accepted regression: {moment.accepted}")
    return "   ".join(texts)


def _tip(strip: Strip, moment: Moment, place: int) -> str:
    value = strip.values[place]
    texts = [f"{moment.label} {moment.date}".strip()]
    if value is not None:
        texts.append(f"{strip.metric.name} {value_text(value, strip.metric.unit)}")
    texts += [f"level changed: {change.text}" for change in strip.changes if change.place == place]
    if moment.accepted:
        texts.append(f"accepted regression: {moment.accepted}")
    return ", ".join(texts)
