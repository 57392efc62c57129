"""Further runs of timed tests: fresh pytest processes, each with its own hash seed and a shuffled order.

One process takes one run of every test that is due, so that runs are interleaved and pytest starts once per
run and not once per test. A test that ends the process takes its own run with it and nothing else.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.backends.process import run_bounded
from perfgate.backends.timed_run import read_run, run_notes
from perfgate.pytest_plugin.entry import CHILD
from perfgate.pytest_plugin.measurement import LATE, result_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pytest

    from perfgate.backends.process import Finished
    from perfgate.core.record import Run
    from perfgate.measure.benchmark import Benchmark

SECONDS_VARIABLE = "PERFGATE_CHILD_SECONDS"  # how long one measurement may take there
STARTED, FAILED = "started", "failed"  # files of a child: node ids, one JSON text a line
START_SECONDS = 120.0  # for importing and collecting
# What ties a process to the parent run: its options, its workers, its coverage.
_STRIPPED = ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST", "COV_", "COVERAGE_")


@dataclass(frozen=True, slots=True)
class Taken:
    """The runs by benchmark key, what people should know of them, and why others failed."""

    runs: dict[str, list[Run]]
    notes: dict[str, list[str]]
    failed: dict[str, str]


class Children:
    """Starts child processes of one session."""

    def __init__(self, config: pytest.Config, folder: Path, seed: int) -> None:
        self._arguments = _arguments(config)
        self._directory = config.rootpath
        self._folder = folder
        self._seed = seed
        self._order = random.Random(seed)  # noqa: S311 - an order, no secret
        self._started = 0

    def take(self, tests: Mapping[str, Benchmark], wanted: Mapping[str, range]) -> Taken:
        """Runs of these numbers; a test that fails gets no further one."""
        taken = Taken({key: [] for key in wanted}, {key: [] for key in wanted}, {})
        for step in range(max((len(numbers) for numbers in wanted.values()), default=0)):
            due = {
                key: numbers[step]
                for key, numbers in wanted.items()
                if step < len(numbers) and key not in taken.failed
            }
            if due:  # else every test has failed by now
                self._one_run({key: tests[key] for key in due}, due, taken)
        return taken

    def _one_run(self, due: Mapping[str, Benchmark], numbers: Mapping[str, int], taken: Taken) -> None:
        """One run of each of these tests, in as many processes as it takes when some end early."""
        left = sorted({item.test for item in due.values()})
        self._order.shuffle(left)
        seconds = max(item.timeout for item in due.values())
        while left:
            folder = self._folder / f"child-{self._started}"
            self._started += 1
            folder.mkdir()
            done = self._start(folder, left, seconds)
            tried = set(_lines(folder / STARTED)) or set(left)  # without a first test none will ever start
            reasons = dict(json.loads(line) for line in _lines(folder / FAILED))
            ending = _ending(done, folder, seconds)
            for key, item in due.items():
                if item.test in tried and item.test in left:
                    reason = reasons.get(item.test, ending)
                    self._collect(key, item, numbers[key], result_path(folder, item.name), taken, reason)
            left = [test for test in left if test not in tried]

    def _start(self, folder: Path, tests: Sequence[str], seconds: float) -> Finished:
        listed = folder / "tests.txt"
        listed.write_text("\n".join(tests) + "\n", encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_STRIPPED)}
        return run_bounded(
            [*self._arguments, f"@{listed}"],
            folder=self._directory,
            environment=kept
            | {
                CHILD: str(folder),
                SECONDS_VARIABLE: str(seconds),
                "PYTHONHASHSEED": str(self._order.randrange(1, 2**32)),
            },
            seconds=START_SECONDS + seconds * len(tests),
        )

    def _collect(  # noqa: PLR0913, PLR0917 - one result and where it goes
        self, key: str, item: Benchmark, number: int, path: Path, taken: Taken, reason: str
    ) -> None:
        if not path.exists():
            taken.failed[key] = f"run {number} in a fresh process: {reason}"
            return
        answer = json.loads(path.read_text(encoding="utf-8"))
        answer["samples"]["peak_memory"] = [float(answer["peak_memory"])]
        names = tuple(metric.name for metric in item.metrics)
        taken.runs[key].append(read_run(answer, number, self._seed, names))
        taken.notes[key] += run_notes(answer, number)


def _ending(done: Finished, folder: Path, seconds: float) -> str:
    """Why a test left no result, when pytest itself could not say it any more."""
    late = folder / LATE
    if late.exists() and late.stat().st_size:
        return f"the measured code did not come back within {seconds:g} s"
    if done.code in {0, 1}:
        return "the test measured nothing under this name"
    said = f", its last words: {done.last_words}" if done.last_words else ""
    return f"the process {done.ending}{said}"


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    return path.read_text(encoding="utf-8").splitlines()


def _arguments(config: pytest.Config) -> list[str]:
    """Pytest as it was started, without what belongs to the parent alone.

    `addopts` is emptied: reports, coverage and workers are the parent's. What the tests themselves need can
    be said again in the ini key `perfgate_child_args`.
    """
    has_folder = str(config.invocation_params.dir) in sys.path
    arguments = [sys.executable, *([] if has_folder else ["-P"]), "-m", "pytest", "-o", "addopts=", "-q"]
    arguments += ["-p", "no:cacheprovider", "--import-mode", str(config.getoption("importmode"))]
    arguments += ["--rootdir", str(config.rootpath)]
    if config.inipath is not None:
        arguments += ["-c", str(config.inipath)]
    for plugin in config.getoption("plugins") or ():
        arguments += ["-p", plugin]
    for warning in config.getoption("pythonwarnings") or ():
        arguments += ["-W", warning]
    return [*arguments, *config.getini("perfgate_child_args")]
