"""The JSON reports of `perfgate baseline list`, `diff`, `update` and `prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.summary import typical_value
from perfgate.core.record import Provenance  # noqa: TC001 - msgspec reads the annotations at run time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.record import Record


class BaselineRow(msgspec.Struct, frozen=True, kw_only=True):
    """An accepted record; `values` are the typical values of its metrics, in their units."""

    key: str
    runs: int
    values: dict[str, float]
    provenance: Provenance


class BaselineList(msgspec.Struct, frozen=True, kw_only=True):
    """All baselines, and the files that cannot be used with the reason."""

    schema: str = "perfgate/baseline-list/1"
    exit_code: int
    baselines: tuple[BaselineRow, ...]
    unusable: dict[str, str]


class MetricChange(msgspec.Struct, frozen=True, kw_only=True):
    """A metric of a baseline that differs; None where a side has none. `worse_by`: positive is worse."""

    key: str
    metric: str
    unit: str
    before: float | None
    now: float | None
    worse_by: float | None


class BaselineDiff(msgspec.Struct, frozen=True, kw_only=True):
    """The working tree's baselines against those of a revision, as it was named."""

    schema: str = "perfgate/baseline-diff/1"
    revision: str
    changes: tuple[MetricChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


class UpdatedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline file that was written, or left as it was."""

    key: str
    path: str
    is_kept: bool
    is_new: bool
    changes: tuple[MetricChange, ...]


class BaselineUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What an update did."""

    schema: str = "perfgate/baseline-update/1"
    files: tuple[UpdatedFile, ...]


class BaselinePrune(msgspec.Struct, frozen=True, kw_only=True):
    """Files of baselines that no benchmark has any more."""

    schema: str = "perfgate/baseline-prune/1"
    unused: tuple[str, ...]
    is_removed: bool


def typical_values(record: Record) -> dict[str, float]:
    """The typical value of every metric that has one."""
    found = {metric.name: typical_value(record, metric) for metric in record.ruler.metrics}
    return {name: value for name, value in found.items() if value is not None}


def baseline_rows(records: Iterable[Record]) -> tuple[BaselineRow, ...]:
    """One row per record, by key."""
    return tuple(
        BaselineRow(
            key=record.key,
            runs=len(record.runs),
            values=typical_values(record),
            provenance=record.provenance,
        )
        for record in sorted(records, key=lambda item: item.key)
    )


def metric_changes(before: Record | None, now: Record | None) -> tuple[MetricChange, ...]:
    """The metrics whose typical value differs between two records of one benchmark."""
    record = now or before
    if record is None:
        return ()
    changes = []
    for metric in record.ruler.metrics:
        was = None if before is None else typical_value(before, metric)
        value = None if now is None else typical_value(now, metric)
        if was == value:
            continue
        worse_by = metric.sign * (value - was) / was if was and value is not None else None
        changes.append(
            MetricChange(
                key=record.key, metric=metric.name, unit=metric.unit, before=was, now=value, worse_by=worse_by
            )
        )
    return tuple(changes)
