"""Measuring for a workflow: one place that turns a benchmark into a record, and records into files."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.backends.registry import TIMED
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record, encode_record
from perfgate.core.codec import readable_json
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.core.profile_part import LEVELS, profile_part
from perfgate.measure.breaker import Breaker
from perfgate.measure.interleave import interleaved
from perfgate.measure.model_source import read_model
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from perfgate.core.execution_profile import Profile
    from perfgate.core.record import Record, Run
    from perfgate.measure.benchmark import Benchmark
    from perfgate.measure.simulation_input import SimulationInput
    from perfgate.npu.what_if import WhatIfRow
    from perfgate.workflow.worktree import Tree

PROFILE_SUFFIX = ".profile.json"  # whole profiles lie beside their records


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the measuring left behind: records, and for the benchmarks without one the reason.

    `skipped` were not measured on purpose (a guardrail stops them), `failed` could not be. `is_paired`: run r
    was taken beside run r of the baseline.
    """

    records: Mapping[str, Record]
    failed: Mapping[str, str]
    skipped: Mapping[str, str]
    is_paired: bool = False


class Measurer:
    """Measures benchmarks of one tree; `seed` moves all noise, `runs` overrules the suite's number.

    `cache` is a folder for compiled programs, which a later process may take instead of compiling.
    """

    def __init__(self, tree: Tree, *, seed: int, runs: int | None, cache: Path | None = None) -> None:
        if cache is not None:
            _check_cache(tree, cache)
        # 200 ms: compiler and simulator, for who measures only; reading and importing records does without.
        from perfgate.measure.runner import Runner  # noqa: PLC0415 - see above

        self._runner = Runner(tree.read, tree.root, seed=seed, cache=cache)
        self.tree = tree
        self._breakers: dict[str, Breaker] = {}
        self._runs = runs
        self._seed = seed

    def measure(self, benchmark: Benchmark) -> Record:
        """The record of all the runs that suite or options ask for.

        Raises:
            UsageError: model, compile command, runtime configuration or device cannot be used as written.
        """
        return self._runner.record(benchmark, self._runs or benchmark.runs)

    def measure_first(self, benchmark: Benchmark) -> Record:
        """The record of the first run alone; the others follow interleaved.

        Raises:
            UsageError: as `measure`.
        """
        return self._runner.record(benchmark, 1)

    def model_of(self, benchmark: Benchmark) -> bytes:
        """The model as ONNX bytes.

        Raises:
            UsageError: it cannot be read.
        """
        return read_model(benchmark, self.tree.read)

    def measure_timed(
        self, benchmarks: Sequence[Benchmark], announce: Callable[[int, int, str], None]
    ) -> tuple[dict[str, Record], dict[str, str]]:
        """The records of timed benchmarks, their runs interleaved, and for those that failed the reason."""
        by_key = {item.key: item for item in benchmarks}
        wanted = {key: range(self._runs or item.runs) for key, item in by_key.items()}
        taken, failed = self._interleaved(by_key, wanted, announce)
        records = {}
        for key, runs in taken.items():
            try:
                records[key] = self._runner.record_of(by_key[key], runs)
            except PerfgateError as problem:  # its traced execution failed, for example
                failed[key] = problem.line
        return records, failed

    def take(
        self, by_key: Mapping[str, Benchmark], wanted: Mapping[str, range]
    ) -> tuple[dict[str, tuple[Run, ...]], dict[str, str]]:
        """The runs of these numbers by key, and for timed benchmarks that failed the reason.

        Each number has a seed of its own.
        """
        known = {key: numbers for key, numbers in wanted.items() if key in by_key}
        timed = {key: numbers for key, numbers in known.items() if by_key[key].backend in TIMED}
        taken, failed = self._interleaved(by_key, timed, _say_nothing)
        for key, numbers in known.items():
            if key not in timed:
                taken[key] = self._runner.runs(by_key[key], numbers.start, len(numbers))
        return taken, failed

    def further_runs(
        self, by_key: Mapping[str, Benchmark], wanted: Mapping[str, range]
    ) -> dict[str, tuple[Run, ...]]:
        """Fresh runs of suspects; a timed benchmark that fails now has no answer, and stays what it was."""
        return self.take(by_key, wanted)[0]

    def with_runs(self, benchmark: Benchmark, record: Record, runs: tuple[Run, ...]) -> Record:
        """The record of a suite's benchmark with further runs behind its own."""
        return self._runner.record_of(benchmark, (*record.runs, *runs))

    def _interleaved(
        self,
        by_key: Mapping[str, Benchmark],
        wanted: Mapping[str, range],
        announce: Callable[[int, int, str], None],
    ) -> tuple[dict[str, tuple[Run, ...]], dict[str, str]]:
        order = random.Random(self._seed)  # noqa: S311 - an order, no secret
        return interleaved(
            wanted, lambda key, number: self._guarded_run(by_key[key], number), order, announce
        )

    def _guarded_run(self, benchmark: Benchmark, number: int) -> Run:
        """One run, unless its backend keeps failing: forty hangs would take forty times their time."""
        name = benchmark.backend
        breaker = self._breakers.setdefault(name, Breaker(f"the {name} backend", time.monotonic))
        return breaker.call(lambda: self._runner.runs(benchmark, number, 1)[0], benchmark.place)

    def profile(self, benchmark: Benchmark) -> Profile | None:
        """The traced execution on five levels; None where the backend has none."""
        return self._runner.profile(benchmark)

    def simulation_input(self, benchmark: Benchmark) -> SimulationInput | None:
        """What a simulation of it follows from; None for a timed benchmark."""
        return self._runner.simulation_input(benchmark)

    def explain(self, benchmark: Benchmark) -> list[str]:
        """The arithmetic behind a record, in lines to check by hand."""
        return self._runner.explain(benchmark)

    def what_if(self, benchmark: Benchmark) -> tuple[WhatIfRow, ...]:
        """The benchmark with one knob turned at a time."""
        return self._runner.what_if(benchmark)


def measure_all(
    measurer: Measurer,
    selected: Sequence[Benchmark],
    blocked: Mapping[str, str],
    announce: Callable[[int, int, str], None],
) -> Measured:
    """Measure simulated benchmarks one after the other, then the timed ones interleaved.

    A benchmark that cannot be measured does not stop the others; `blocked` ones are not measured.
    """
    records, failed = {}, {}
    skipped = {item.key: blocked[item.key] for item in selected if item.key in blocked}
    wanted = [item for item in selected if item.key not in blocked]
    timed = [item for item in wanted if item.backend in TIMED]
    others = [item for item in wanted if item.backend not in TIMED]
    for index, benchmark in enumerate(others):
        announce(index, len(others), benchmark.key)
        try:
            records[benchmark.key] = measurer.measure(benchmark)
        except PerfgateError as problem:
            failed[benchmark.key] = problem.line
    more, broken = measurer.measure_timed(timed, announce)
    announce(len(wanted), len(wanted), "")
    return Measured(records=records | more, failed=failed | broken, skipped=skipped)


def _say_nothing(done: int, total: int, name: str) -> None:
    del done, total, name


def next_runs(record: Record, count: int) -> range:
    """The numbers of `count` runs after those of the record."""
    first = max((run.id for run in record.runs), default=-1) + 1
    return range(first, first + count)


def _check_cache(tree: Tree, cache: Path) -> None:
    """A change could commit a fast program under the key of a slow one: a cache holds no tracked file."""
    if tree.holds_tracked_files(cache):
        remedy = "name a folder outside of it, or remove them with `git rm -r --cached`"
        raise UsageError("the compile cache holds files of the repository", str(cache), remedy)


def write_record(folder: Path, record: Record) -> Path:
    """Write a record file.

    Raises:
        UsageError: it cannot be written.
    """
    path = folder / baseline_path(record.benchmark, record.device)
    write_text_file(path, encode_record(record))
    return path


def write_profile(folder: Path, record: Record, profile: Profile, levels: Collection[str] = LEVELS) -> None:
    """Write the profile of a record beside it, whole or some levels of it.

    Raises:
        UsageError: it cannot be written.
    """
    path = folder / baseline_path(record.benchmark, record.device)
    kept = profile if set(levels) == set(LEVELS) else profile_part(profile, levels)
    write_text_file(path.with_name(f"{path.stem}{PROFILE_SUFFIX}"), readable_json(kept))


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
