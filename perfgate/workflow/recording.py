"""`perfgate record`: measure and keep; nothing is judged."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.revision import open_repository, resolve
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import trace_id
from perfgate.baseline.summary import tracing_overhead
from perfgate.core.errors import ExitCode, UnusableError, UsageError
from perfgate.core.machine import SIMULATED
from perfgate.report.baseline_reports import typical_values
from perfgate.report.recording_report import RecordedFile, RecordingReport
from perfgate.workflow.commit_tree import CommitTree
from perfgate.workflow.measuring import Measurer, measure_all, write_profile, write_records
from perfgate.workflow.suites import find_suites, select
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.npu.what_if import WhatIfRow
    from perfgate.workflow.worktree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which benchmarks to measure, how often, with which noise, and what is kept of their profiles.

    `revision` names the commit whose files are measured; None is the working tree. `levels` are those of the
    profile that a file beside the record keeps, all of them for a whole profile, none for no file.
    """

    expression: str = ""
    devices: tuple[str, ...] = ()
    runs: int | None = None
    samples: int | None = None
    seed: int = 0
    cache: Path | None = None
    levels: tuple[str, ...] = ()
    revision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What was measured, and what could not be with the reason. The two answers come after the records."""

    records: Mapping[str, Record]
    failed: Mapping[str, str]
    commit: str
    output: Path
    explanation: Sequence[str] = ()
    what_if: Mapping[str, tuple[WhatIfRow, ...]]

    @property
    def exit_code(self) -> ExitCode:
        """11 unless everything selected was measured."""
        return ExitCode.NOTHING if self.failed else ExitCode.PASS

    @property
    def report(self) -> RecordingReport:
        """The report for machines."""
        return RecordingReport(
            exit_code=int(self.exit_code),
            commit=self.commit,
            records=tuple(
                RecordedFile(
                    key=key,
                    path=str(self.output / baseline_path(record.benchmark, record.device)),
                    runs=len(record.runs),
                    values=typical_values(record),
                    trace_id=trace_id(record),
                    tracing_overhead=tracing_overhead(record),
                )
                for key, record in self.records.items()
            ),
            failed=dict(self.failed),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What else to answer: the arithmetic behind each record, and one knob turned at a time."""

    explain: bool = False
    what_if: bool = False


def record_benchmarks(
    root: Path,
    output: Path,
    selection: Selection,
    announce: Callable[[int, int, str], None],
    questions: Questions = Questions(),
) -> Recording:
    """Measure and write one file per record below `output`.

    Raises:
        PerfgateError: a suite cannot be read, nothing is selected, or the folder cannot be written.
    """
    with tree_at(root, selection.revision) as (tree, commit):
        benchmarks = [item for items in find_suites(tree).values() for item in items]
        selected = select(benchmarks, expression=selection.expression, devices=selection.devices)
        if commit:
            refuse_timed(selected, "--at")
        if selection.samples is not None:
            selected = tuple(msgspec.structs.replace(item, samples=selection.samples) for item in selected)
        measurer = Measurer(tree, seed=selection.seed, runs=selection.runs, cache=selection.cache)
        measured = measure_all(measurer, selected, {}, announce)
        write_records(output, measured.records.values())
        taken = [item for item in selected if item.key in measured.records]
        for item in taken if selection.levels else ():
            profile = measurer.profile(item)
            if profile is not None:
                write_profile(output, measured.records[item.key], profile, selection.levels)
        return Recording(
            records=measured.records,
            failed=measured.failed,
            commit=commit,
            output=output,
            explanation=_explanation(measurer, taken) if questions.explain else (),
            what_if={item.key: measurer.what_if(item) for item in taken} if questions.what_if else {},
        )


def _explanation(measurer: Measurer, benchmarks: Sequence[Benchmark]) -> list[str]:
    """The arithmetic behind each record: copies, conversions and the time they take."""
    return [line for item in benchmarks for line in (item.key, *measurer.explain(item))]


@contextmanager
def tree_at(root: Path, revision: str | None, option: str = "--at") -> Iterator[tuple[Tree, str]]:
    """The tree to measure, and the commit it is of; "" for the working tree.

    Raises:
        UsageError: the revision names no commit.
    """
    if revision is None:
        yield open_tree(root), ""
        return
    repository = open_repository(root)
    commit = resolve(repository, revision)
    if commit is None:
        raise UsageError(f"no commit named {revision!r}", option, "name a commit, tag or branch")
    with tempfile.TemporaryDirectory(prefix="perfgate-at-") as folder:
        yield CommitTree(repository, commit, WorkTree(root, repository).prefix, Path(folder)), commit


def refuse_timed(benchmarks: Sequence[Benchmark], option: str) -> None:
    """Only a simulated benchmark is nothing but its files; code that runs needs a checkout.

    Raises:
        UsageError: one is measured on a real clock.
    """
    for item in benchmarks:
        if item.backend != SIMULATED:
            remedy = "check the commit out and record there, or choose others with -k"
            raise UsageError(f"{item.key} runs code of the commit", option, remedy)


def open_tree(root: Path) -> WorkTree:
    """The tree with git where there is one; recording needs none."""
    try:
        return WorkTree(root, open_repository(root))
    except UnusableError:
        return WorkTree(root, None)
