"""Measuring for a workflow: one place that turns a benchmark into a record, and records into files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record, encode_record
from perfgate.core.codec import readable_json
from perfgate.core.errors import UsageError
from perfgate.measure.runner import Runner
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from perfgate.core.execution_profile import Profile
    from perfgate.core.record import Record, Run
    from perfgate.measure.benchmark import Benchmark
    from perfgate.npu.what_if import WhatIfRow
    from perfgate.workflow.worktree import WorkTree

PROFILE_SUFFIX = ".profile.json"  # whole profiles lie beside their records


class Measurer:
    """Measures benchmarks of one tree; `seed` moves all noise, `runs` overrules the suite's number.

    `cache` is a folder for compiled programs, which a later process may take instead of compiling.
    """

    def __init__(self, tree: WorkTree, *, seed: int, runs: int | None, cache: Path | None = None) -> None:
        self._runner = Runner(tree.read, tree.root, seed=seed, cache=cache)
        self._runs = runs

    def measure(self, benchmark: Benchmark) -> Record:
        """The record of all the runs that suite or options ask for.

        Raises:
            UsageError: model, compile command, runtime configuration or device cannot be used as written.
        """
        return self._runner.record(benchmark, self._runs or benchmark.runs)

    def further_runs(self, benchmark: Benchmark, record: Record, count: int) -> tuple[Run, ...]:
        """Fresh runs after those of the record, with seeds that it has not used."""
        first = max((run.id for run in record.runs), default=-1) + 1
        return self._runner.runs(benchmark, first, count)

    def profile(self, benchmark: Benchmark) -> Profile:
        """The traced execution on five levels."""
        return self._runner.profile(benchmark)

    def explain(self, benchmark: Benchmark) -> list[str]:
        """The arithmetic behind a record, in lines to check by hand."""
        return self._runner.explain(benchmark)

    def what_if(self, benchmark: Benchmark) -> tuple[WhatIfRow, ...]:
        """The benchmark with one knob turned at a time."""
        return self._runner.what_if(benchmark)


def write_record(folder: Path, record: Record) -> Path:
    """Write a record file.

    Raises:
        UsageError: it cannot be written.
    """
    path = folder / baseline_path(record.benchmark, record.device)
    write_text_file(path, encode_record(record))
    return path


def write_profile(folder: Path, record: Record, profile: Profile) -> None:
    """Write the whole profile of a record beside it.

    Raises:
        UsageError: it cannot be written.
    """
    path = folder / baseline_path(record.benchmark, record.device)
    write_text_file(path.with_name(f"{path.stem}{PROFILE_SUFFIX}"), readable_json(profile))


def write_records(folder: Path, records: Iterable[Record]) -> None:
    """Write one file for each record below the folder.

    Raises:
        UsageError: one cannot be written.
    """
    for record in records:
        write_record(folder, record)


def read_records(folder: Path) -> dict[str, Record]:
    """All record files below a folder, by key.

    Raises:
        UsageError: the folder is missing, or two files hold the same benchmark and device.
        UnusableError: a file cannot be used.
    """
    if not folder.is_dir():
        raise UsageError(
            "no such folder of records", str(folder), "name the folder that `perfgate record -o` wrote"
        )
    records: dict[str, Record] = {}
    paths: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.json")):
        if path.name.endswith(PROFILE_SUFFIX):
            continue
        record = decode_record(path.read_bytes(), str(path))
        if record.key in records:
            remedy = "keep one of them"
            raise UsageError(f"{record.key} stands in two files", f"{paths[record.key]} and {path}", remedy)
        records[record.key] = record
        paths[record.key] = path
    return records
