"""Every metric and every operator before and after; times sum exactly, with what is left over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import MetricDelta
from perfgate.core.metric import Metric, known_metric
from perfgate.report.html.series import record_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfgate.core.diagnosis import Attribution
    from perfgate.core.record import Record
    from perfgate.report.html.material import Material

OUTSIDE = "outside operators, less what runs side by side"
UNEXPLAINED = "unexplained: untraced runs against the trace"
PICOSECONDS = "ps"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRow:
    """A part of the latency on both sides in whole picoseconds; `operator` is the page's index or -1."""

    label: str
    kind: str
    before: int
    after: int
    operator: int = -1

    @property
    def delta(self) -> int:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRows:
    """Rows that sum to `before` and `after` exactly; `is_gate`: those are the gate's own untraced values."""

    rows: tuple[TimeRow, ...]
    before: int
    after: int
    is_gate: bool

    @property
    def delta(self) -> int:
        """After minus before."""
        return self.after - self.before


def time_rows(material: Material) -> TimeRows:
    """All operators, what lies outside them and, where the gate measured, what the trace cannot explain."""
    rows = [
        TimeRow(
            label=operator.label,
            kind=operator.row.op,
            before=operator.before_ps,
            after=operator.after_ps,
            operator=index,
        )
        for index, operator in enumerate(material.operators)
    ]
    traced = [0 if side is None else side.application.total_ps for side in (material.before, material.after)]
    inside = [sum(row.before for row in rows), sum(row.after for row in rows)]
    rows.append(TimeRow(label=OUTSIDE, kind="", before=traced[0] - inside[0], after=traced[1] - inside[1]))
    gate = _gate(material)
    if gate is None:
        return TimeRows(rows=tuple(rows), before=traced[0], after=traced[1], is_gate=False)
    rows.append(
        TimeRow(label=UNEXPLAINED, kind="", before=gate.before - traced[0], after=gate.after - traced[1])
    )
    return TimeRows(rows=tuple(rows), before=gate.before, after=gate.after, is_gate=True)


def _gate(material: Material) -> Attribution | None:
    """The attribution of the latency; one of bytes or energy says nothing of time."""
    found = None if material.diagnosis is None else material.diagnosis.attribution
    return found if found is not None and found.unit == PICOSECONDS and material.before is not None else None


def metric_deltas(material: Material) -> tuple[MetricDelta, ...]:
    """As judged where the diagnosis says so, else out of the records, else out of the profiles."""
    judged = (
        {} if material.diagnosis is None else {item.metric.name: item for item in material.diagnosis.metrics}
    )
    found = {item.metric.name: item for item in _measured(material)}
    return tuple(judged.get(name, found.get(name, item)) for name, item in {**judged, **found}.items())


def _measured(material: Material) -> Iterator[MetricDelta]:
    before, after = material.records
    if before is not None and after is not None:
        for metric in after.ruler.metrics:
            old, new = record_value(before, metric), record_value(after, metric)
            if old is not None and new is not None:
                yield _delta(metric, old.value, new.value, _runs(before, after, metric))
    elif material.before is not None:
        old_exact: Mapping[str, float] = material.before.exact
        for name, now in material.after.exact.items():
            if name in old_exact:
                yield _delta(known_metric(name) or Metric(name=name, unit="count"), old_exact[name], now)


def _runs(before: Record, after: Record, metric: Metric) -> tuple[int, int]:
    return (len(before.runs), len(after.runs)) if metric.is_sampled else (0, 0)


def _delta(metric: Metric, before: float, after: float, runs: tuple[int, int] = (0, 0)) -> MetricDelta:
    relative = metric.sign * (after / before - 1) if before else (0.0 if after == before else None)
    return MetricDelta(
        metric=metric, before=before, after=after, relative=relative, runs_before=runs[0], runs_after=runs[1]
    )
