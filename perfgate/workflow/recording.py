"""`perfgate record`: measure benchmarks of a tree and keep the records; works without git."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.revision import open_repository
from perfgate.core.errors import ExitCode, UnusableError
from perfgate.workflow.measuring import Measurer, measure_all, write_profile, write_records
from perfgate.workflow.suites import find_suites, select
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.npu.what_if import WhatIfRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which benchmarks to measure, how often, with which noise, and whether whole profiles are kept."""

    expression: str = ""
    devices: tuple[str, ...] = ()
    runs: int | None = None
    samples: int | None = None
    seed: int = 0
    cache: Path | None = None
    with_profiles: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What was measured, and what could not be with the reason."""

    records: Mapping[str, Record]
    failed: Mapping[str, str]
    selected: Sequence[Benchmark]
    measurer: Measurer

    @property
    def exit_code(self) -> ExitCode:
        """11 unless everything selected was measured."""
        return ExitCode.NOTHING if self.failed else ExitCode.PASS

    def explain(self) -> list[str]:
        """The arithmetic behind each record: copies, conversions and the time they take."""
        return [
            line
            for item in self.selected
            if item.key in self.records
            for line in (item.key, *self.measurer.explain(item))
        ]

    def what_if(self) -> dict[str, tuple[WhatIfRow, ...]]:
        """For each record: batch, precision, fusion, cores, streams, each with the limit that then binds."""
        return {item.key: self.measurer.what_if(item) for item in self.selected if item.key in self.records}


def record_benchmarks(
    root: Path, output: Path, selection: Selection, announce: Callable[[int, int, str], None]
) -> Recording:
    """Measure and write one file per record below `output`.

    Raises:
        PerfgateError: a suite cannot be read, nothing is selected, or the folder cannot be written.
    """
    tree = open_tree(root)
    benchmarks = [item for items in find_suites(tree).values() for item in items]
    selected = select(benchmarks, expression=selection.expression, devices=selection.devices)
    if selection.samples is not None:
        selected = tuple(msgspec.structs.replace(item, samples=selection.samples) for item in selected)
    measurer = Measurer(tree, seed=selection.seed, runs=selection.runs, cache=selection.cache)
    measured = measure_all(measurer, selected, {}, announce)
    write_records(output, measured.records.values())
    if selection.with_profiles:
        for item in selected:
            profile = measurer.profile(item) if item.key in measured.records else None
            if profile is not None:
                write_profile(output, measured.records[item.key], profile)
    return Recording(records=measured.records, failed=measured.failed, selected=selected, measurer=measurer)


def open_tree(root: Path) -> WorkTree:
    """The tree with git where there is one; recording needs none."""
    try:
        return WorkTree(root, open_repository(root))
    except UnusableError:
        return WorkTree(root, None)
