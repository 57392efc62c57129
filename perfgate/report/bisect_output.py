"""What `perfgate bisect --json` writes: a result for each benchmark, and those that could not be searched."""

from __future__ import annotations

import msgspec

from perfgate.report.bisect_text import BisectReport  # noqa: TC001 - msgspec reads the annotations at run time


class BisectFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark whose search ended with an error; `error` is the line that says so."""

    benchmark: str
    error: str
    exit_code: int


class BisectOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of one command, in the order in which it was searched."""

    schema: str = "perfgate/bisect/2"
    results: tuple[BisectReport, ...]
    failures: tuple[BisectFailure, ...]
    exit_code: int
