"""The JSON report of `perfgate record`: which files were written, and what could not be measured."""

from __future__ import annotations

import msgspec

SCHEMA = "perfgate/recording/1"


class RecordedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A record file; `values` are the typical values of its metrics, in their units.

    `trace_id` names the measurement in every report. `tracing_overhead`: .2 is 20 %, None where nothing was
    traced on a clock.
    """

    key: str
    path: str
    runs: int
    values: dict[str, float]
    trace_id: str
    tracing_overhead: float | None = None


class RecordingReport(msgspec.Struct, frozen=True, kw_only=True):
    """A recording. `commit` is the one whose files were measured, "" for the working tree."""

    schema: str = SCHEMA
    exit_code: int
    commit: str
    records: tuple[RecordedFile, ...]
    failed: dict[str, str]
