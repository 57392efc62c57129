"""Recorded A/A series through the production rule: every window of five baseline and three candidate runs."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.verdict import Verdict
from tests.benchmarks.acceptance_cells import EFFECTS
from tests.benchmarks.staged_suite import Design, decide

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Run = npt.NDArray[np.float64]

BASELINE_RUNS, CANDIDATE_RUNS = 5, 3
DESIGN = Design(name="5v3", first_runs=CANDIDATE_RUNS)
# STATISTICS section 14: power in % at +2/+5/+10 %, by the start of the file's name.
TARGETS = {"go_aa": (87, 92, 95), "python_aa": (16, 45, 65)}
WINDOWS_PER_FLAG = 5  # at most one flagged benchmark over five windows


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesResult:
    """What the rule said about one file."""

    name: str
    benchmarks: int
    windows: int
    flagged: tuple[str, ...]
    shifted: int
    powers: tuple[float, ...]

    def failures(self) -> tuple[str, ...]:
        """What misses its target; files of another kind have no target for power."""
        missed = []
        if len(self.flagged) + self.shifted > max(1, self.windows // WINDOWS_PER_FLAG):
            missed.append(f"{len(self.flagged)} benchmarks flagged, {self.shifted} suites shifted")
        for prefix, targets in TARGETS.items():
            if self.name.startswith(prefix):
                missed += [
                    f"power at +{100 * effect:.0f} % is {power:.0f}, target {target}"
                    for effect, power, target in zip(EFFECTS, self.powers, targets, strict=True)
                    if round(power) < target
                ]
        return tuple(missed)


def read_series(path: Path) -> dict[str, list[Run]]:
    """Runs of each benchmark in order of time; benchmarks that are not in every run are left out by name.

    Raises:
        ValueError: another header than `benchmark,run,sample,seconds`.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    runs: dict[str, dict[int, list[float]]] = {}
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != ["benchmark", "run", "sample", "seconds"]:
            raise ValueError(f"{path}: not a series, the header is {reader.fieldnames}")
        for row in reader:
            runs.setdefault(row["benchmark"], {}).setdefault(int(row["run"]), []).append(
                float(row["seconds"])
            )
    numbers = sorted({number for series in runs.values() for number in series})
    return {
        name: [np.array(series[number]) for number in numbers]
        for name, series in sorted(runs.items())
        if len(series) == len(numbers)
    }


def judge_series(path: Path, step: int = 1) -> SeriesResult:
    """False alarms and power over all windows; `step` plants the change in every so many benchmarks only."""
    series = read_series(path)
    names = list(series)
    length = len(next(iter(series.values())))
    starts = range(length - BASELINE_RUNS - CANDIDATE_RUNS + 1)
    flagged: list[str] = []
    shifted = planted = 0
    found = [0] * len(EFFECTS)
    for start in starts:
        middle = start + BASELINE_RUNS
        baseline = [series[name][start:middle] for name in names]
        pool = [series[name][middle : middle + CANDIDATE_RUNS] for name in names]
        null = decide(baseline, pool, DESIGN)
        shifted += null.is_shifted
        flagged += [
            f"{name} (window {start + 1})"
            for name, verdict in zip(names, null.verdicts, strict=True)
            if verdict is Verdict.REGRESSED
        ]
        for place in range(0, len(names), step):
            planted += 1
            for number, effect in enumerate(EFFECTS):
                slower = [*pool]
                slower[place] = [run * (1 + effect) for run in pool[place]]
                found[number] += decide(baseline, slower, DESIGN).verdicts[place] is Verdict.REGRESSED
    return SeriesResult(
        name=path.name,
        benchmarks=len(names),
        windows=len(starts),
        flagged=tuple(flagged),
        shifted=shifted,
        powers=tuple(100 * count / planted for count in found),
    )
