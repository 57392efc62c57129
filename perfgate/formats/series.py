"""What a reader takes out of a file: series of samples, and what it left out with the reason."""

from __future__ import annotations

import math
from enum import StrEnum

import msgspec

from perfgate.core.errors import UnusableError
from perfgate.core.metric import Metric  # noqa: TC001 - msgspec reads the annotations at run time

MAX_SHOWN = 200  # characters of a foreign message in a reason


class Status(StrEnum):
    """Why something in a file became no record."""

    FAILED = "failed"
    SKIPPED = "skipped"
    AGGREGATE = "aggregate"
    NOT_READ = "not read"


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of one metric of one benchmark, in the metric's unit, one tuple for each process.

    `summary` says what a single value stands for ("the median of 20 rounds") where the file keeps no samples;
    such a value is one sample and never more. `protocol` is how it was measured, as far as that must be equal
    for two files to be comparable. A metric of kind `exact` is one that repeats itself when nothing changes.
    """

    benchmark: str
    metric: Metric
    runs: tuple[tuple[float, ...], ...]
    summary: str = ""
    protocol: dict[str, str] = {}


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that became no record."""

    benchmark: str
    status: Status
    reason: str


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """All of one file. `context` has the names of `core.machine`; `platform` is `os-arch` or ""."""

    tool: str
    series: tuple[Series, ...]
    left_out: tuple[LeftOut, ...] = ()
    context: dict[str, str] = {}
    platform: str = ""


class Collection:
    """What a reader has found so far in one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._series: dict[tuple[str, str], Series] = {}
        self._left_out: list[LeftOut] = []

    def add(self, series: Series) -> None:
        """Keep a series; one without samples, or with a value that is no measurement, is left out as failed.

        Raises:
            UnusableError: the benchmark has this metric already, or no name.
        """
        name, metric = series.benchmark, series.metric
        if not name.strip():
            raise UnusableError("a benchmark without a name", self._path, "name every benchmark")
        if (name, metric.name) in self._series:
            what = f"two benchmarks are named {name!r}"
            raise UnusableError(what, self._path, "give each its own name, or import them apart")
        if not any(series.runs):
            self.leave_out(name, Status.FAILED, f"no samples of {metric.name}")
            return
        if not all(math.isfinite(value) for run in series.runs for value in run):
            self.leave_out(name, Status.FAILED, f"a {metric.name} that is not a finite number")
            return
        least = min(value for run in series.runs for value in run)
        if least < 0 or (metric.is_sampled and least == 0):
            self.leave_out(
                name, Status.FAILED, f"a {metric.name} of {least:g} {metric.unit} is no measurement"
            )
            return
        self._series[name, metric.name] = series

    def leave_out(self, benchmark: str, status: Status, reason: str) -> None:
        """Name an entry that becomes no record."""
        text = " ".join(reason.split())
        self._left_out.append(LeftOut(benchmark=benchmark, status=status, reason=text[:MAX_SHOWN]))

    def results(self, tool: str, *, context: dict[str, str] | None = None, platform: str = "") -> Results:
        """Everything found. A benchmark of which one metric failed is a failed benchmark."""
        failed = {item.benchmark for item in self._left_out if item.status is Status.FAILED}
        kept = tuple(item for item in self._series.values() if item.benchmark not in failed)
        known = {name: value for name, value in (context or {}).items() if value}
        return Results(
            tool=tool,
            series=kept,
            left_out=tuple(self._left_out),
            context=known,
            platform=platform.lower().replace(" ", "-"),
        )
