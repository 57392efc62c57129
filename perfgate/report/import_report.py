"""The JSON report of `perfgate import`: what became records, and what was left out."""

from __future__ import annotations

import msgspec

from perfgate.core.metric import Metric  # noqa: TC001 - msgspec reads the annotations at run time

SCHEMA = "perfgate/import/1"


class ImportedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record; `samples` counts those of all metrics, run by run."""

    benchmark: str
    device: str
    tool: str
    metrics: tuple[Metric, ...]
    runs: int
    samples: tuple[int, ...]
    notes: tuple[str, ...]


class LeftOutEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that became no record, the file it is in, and why."""

    file: str
    benchmark: str
    status: str
    reason: str


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """An import."""

    schema: str = SCHEMA
    records: tuple[ImportedRecord, ...]
    left_out: tuple[LeftOutEntry, ...]
