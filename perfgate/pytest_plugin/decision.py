"""What a session decides on: what tests measured, completed, and the baselines that they owe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.backends.registry import PYTHON, TIMED
from perfgate.core.errors import UsageError
from perfgate.core.machine import TEST
from perfgate.core.record import Record
from perfgate.measure.benchmark import Benchmark
from perfgate.workflow.check import is_of_other_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from perfgate.core.record import Run
    from perfgate.pytest_plugin.children import Children
    from perfgate.pytest_plugin.hold import HeldItem
    from perfgate.pytest_plugin.scope import Scope
    from perfgate.workflow.measuring import Measurer


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTests:
    """What test functions measured: benchmarks and records by key."""

    benchmarks: Mapping[str, Benchmark]
    records: Mapping[str, Record]


def measured_tests(held: Iterable[HeldItem], suites: Collection[str]) -> MeasuredTests:
    """The measurements that wait in held items; `suites` are the keys of suite benchmarks.

    Raises:
        UsageError: one name for two measurements.
    """
    benchmarks: dict[str, Benchmark] = {}
    records: dict[str, Record] = {}
    for item in held:
        for content in item.measured:
            benchmark = msgspec.convert(content["benchmark"], Benchmark)
            key = benchmark.key
            if key in benchmarks or key in suites:
                other = benchmarks[key].test if key in benchmarks else "a suite"
                what = f"the benchmark {key} is measured twice"
                raise UsageError(
                    what, f"{other} and {item.nodeid}", "give one another name; names are identities"
                )
            benchmarks[key] = benchmark
            records[key] = msgspec.convert(content["record"], Record)
    return MeasuredTests(benchmarks=benchmarks, records=records)


class RunTaker:
    """Takes runs of any benchmark of a session: tests in child processes, suites on their backends."""

    def __init__(
        self, children: Children, measurer: Measurer, tests: MeasuredTests, suites: Mapping[str, Benchmark]
    ) -> None:
        self._children = children
        self._measurer = measurer
        self._timed = {key: item for key, item in tests.benchmarks.items() if item.backend == PYTHON}
        self._others = {
            **suites,
            **{key: item for key, item in tests.benchmarks.items() if key not in self._timed},
        }
        self._tests = tests
        self._notes: dict[str, list[str]] = {}

    def take(self, wanted: Mapping[str, range]) -> tuple[dict[str, tuple[Run, ...]], dict[str, str]]:
        """The runs by key, and for those that failed the reason."""
        here = {key: numbers for key, numbers in wanted.items() if key not in self._timed}
        runs, failed = self._measurer.take(self._others, here)
        children = {key: numbers for key, numbers in wanted.items() if key in self._timed}
        if children:
            taken = self._children.take(self._timed, children)
            runs |= {key: tuple(found) for key, found in taken.runs.items() if key not in taken.failed}
            failed |= taken.failed
            for key, notes in taken.notes.items():
                self._notes.setdefault(key, []).extend(notes)
        return runs, failed

    def fresh(self, wanted: Mapping[str, range]) -> Mapping[str, tuple[Run, ...]]:
        """Runs of suspects; one that fails now stays what it was."""
        return self.take(wanted)[0]

    def complete(
        self, suites: Mapping[str, Record], *, runs: int | None, told: Callable[[int, int], None]
    ) -> tuple[dict[str, Record], dict[str, str]]:
        """All records with the runs that timed ones lack, and for those that failed the reason.

        While the tests ran, a timed benchmark took its first run at most; `told` gets the number of
        benchmarks and of runs that follow.
        """
        records = {**suites, **self._tests.records}
        wanted = {}
        for key, record in records.items():
            if record.backend in TIMED:
                item = self._others.get(key) or self._timed[key]
                wanted[key] = range(len(record.runs), runs or item.runs)
        if any(wanted.values()):
            told(len(wanted), sum(len(numbers) for numbers in wanted.values()))
        taken, failed = self.take(wanted)
        for key, more in taken.items():
            if key in self._timed:
                records[key] = _with_runs(records[key], more, self._notes.pop(key, ()))
            else:
                records[key] = self._measurer.with_runs(self._others[key], records[key], more)
        return {key: record for key, record in records.items() if key not in failed}, failed


def _with_runs(record: Record, runs: Iterable[Run], notes: Iterable[str]) -> Record:
    more = tuple(dict.fromkeys((*record.notes, *notes)))
    return msgspec.structs.replace(record, runs=(*record.runs, *runs), notes=more)


def absent_tests(
    baselines: Mapping[str, Record],
    measured: Collection[str],
    scope: Scope,
    *,
    silent: Mapping[str, str],
    devices: Collection[str],
) -> tuple[dict[str, str], bool]:
    """Baselines that a test of this run owes, with what became of the test; and whether tests are left out.

    `measured` are keys with a record or a word of their own, `silent` the node ids of tests that were skipped
    or failed: the reason of a skip, "" where the test's own red report says enough.
    """
    absent: dict[str, str] = {}
    is_partial = False
    for key, record in baselines.items():
        test = record.context.get(TEST, "")
        if not test or key in measured or is_of_other_environment(record):
            continue
        if devices and record.device not in devices:
            is_partial = True
        elif test in scope.selected:
            reason = silent.get(test, "its test passed and did not measure it")
            if reason:
                absent[key] = reason
        elif test not in scope.deselected and scope.covers(test):
            absent[key] = f"its test is gone: {test}"
        else:
            is_partial = True
    return absent, is_partial
