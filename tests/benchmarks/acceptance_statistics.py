"""The acceptance table of the decision: 14 noise families in four designs, and recorded A/A series.

    python -m tests.benchmarks.acceptance_statistics [SERIES] [--suites N] [--seed N] [--families a,b]

The rule is the production code, frozen; the seeds are fresh and printed. Exit 1 when a cell misses its
target. SERIES is a folder of `*.csv` or `*.csv.gz` files with the columns benchmark, run, sample, seconds.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.benchmarks.acceptance_cells import EFFECTS, TARGETS, Cell, most_red, points_error, run_cell
from tests.benchmarks.recorded_series import SeriesResult, judge_series
from tests.benchmarks.staged_suite import DESIGNS, Design

DEFAULT_SERIES = Path(__file__).parents[3] / "shared" / "reference" / "statistics"
COPIED_SERIES = Path(__file__).parents[1] / "data" / "statistics"
SUITES = 400


def main(arguments: list[str]) -> int:
    """Print the table and the series; 1 when something misses its target."""
    parser = argparse.ArgumentParser(prog="acceptance_statistics")
    parser.add_argument("series", nargs="?", type=Path)
    parser.add_argument("--suites", type=int, default=SUITES)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31))
    parser.add_argument("--families", default=",".join(TARGETS))
    options = parser.parse_args(arguments)
    families = [name for name in options.families.split(",") if name]
    say(f"seed {options.seed}, {options.suites} suites a cell, at most {most_red(options.suites)} may be red")
    missed = 0
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as workers:
        jobs = [(name, design, options.suites, options.seed) for name in families for design in DESIGNS]
        for cell in workers.map(_run_job, jobs):
            missed += len(cell.failures())
            say(cell_line(cell))
        for path in series_files(options.series):
            result = judge_series(path)
            missed += len(result.failures())
            say(series_line(result))
    say("every cell meets its target" if not missed else f"{missed} targets missed (seed {options.seed})")
    return 1 if missed else 0


def _run_job(job: tuple[str, Design, int, int]) -> Cell:
    return run_cell(*job)


def series_files(folder: Path | None) -> list[Path]:
    """The series of a folder, or the reference ones; what is absent is named."""
    if folder is not None:
        found = sorted([*folder.glob("*.csv"), *folder.glob("*.csv.gz")])
        if not found:
            say(f"no series in {folder}")
        return found
    found = sorted(DEFAULT_SERIES.glob("*.csv.gz")) or sorted(COPIED_SERIES.glob("*.csv.gz"))
    if not any(path.name.startswith("go_aa") for path in found):
        say("skipped: the Go series is not part of the repository and was not found beside it")
    return found


def cell_line(cell: Cell) -> str:
    """One row: false alarms, suspects, unchanged share, power against target with Monte Carlo error."""
    powers = "  ".join(
        f"+{100 * effect:.0f} %: {power:5.1f} +-{points_error(power, cell.suites):.1f} ({target})"
        for effect, power, target in zip(EFFECTS, cell.powers(), cell.targets(), strict=True)
    )
    alarms = 100 * cell.red / cell.suites
    error = points_error(alarms, cell.suites)
    row = (
        f"{cell.family:9} {cell.design.name:10} red {alarms:4.1f} +-{error:.1f} %  "
        f"suspects {100 * cell.suspect / cell.suites:5.1f} %  unchanged {cell.unchanged:5.1f} %  {powers}"
    )
    return row + "".join(f"  MISSED: {text}" for text in cell.failures())


def series_line(result: SeriesResult) -> str:
    """One row per recorded series."""
    powers = " ".join(
        f"+{100 * effect:.0f} %: {power:.0f}" for effect, power in zip(EFFECTS, result.powers, strict=True)
    )
    flagged = ", ".join(result.flagged) or "none"
    row = (
        f"{result.name}: {result.benchmarks} benchmarks, {result.windows} windows of 5 + 3 runs; "
        f"flagged {flagged}; suite shifted {result.shifted}; power {powers}"
    )
    return row + "".join(f"  MISSED: {text}" for text in result.failures())


def say(text: str) -> None:
    """Print at once: a long table is watched while it grows."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
