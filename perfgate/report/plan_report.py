"""What `perfgate init` would write or has written: a table for people, JSON for machines."""

from __future__ import annotations

from enum import StrEnum

import msgspec

SCHEMA = "perfgate/init/1"


class Step(StrEnum):
    """What becomes of a file."""

    WRITE = "write"
    KEEP = "keep"
    APPEND = "append"
    OVERWRITE = "overwrite"
    SAME = "same"


class PlannedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the plan, and why it is in it or stays as it is."""

    path: str
    step: Step
    reason: str


class PlanReport(msgspec.Struct, frozen=True, kw_only=True):
    """The plan, what to know about it, and the next commands. `is_written` is False for a dry run."""

    schema: str = SCHEMA
    files: tuple[PlannedFile, ...]
    notes: tuple[str, ...]
    next: tuple[str, ...]
    is_written: bool
