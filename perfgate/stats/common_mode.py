"""What the whole suite did together in one run: the host, not a benchmark (STATISTICS section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import t_tail

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_BENCHMARKS = 8


def run_shifts(
    locations: npt.ArrayLike, centres: npt.ArrayLike, counted: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """Common shift of each run: the median over benchmarks of log location minus the benchmark's centre.

    `locations` is (benchmarks, runs) with NaN where a benchmark has no such run, `centres` the medians of its baseline
    runs. `counted` leaves benchmarks out (suspects, while their fresh runs are judged). A run with fewer than eight
    benchmarks has no shift of its own: NaN.
    """
    deviations = np.asarray(locations, float) - np.asarray(centres, float)[:, None]
    shifts = np.full(deviations.shape[1], np.nan)
    for run in range(deviations.shape[1]):
        column = deviations[:, run]
        present = ~np.isnan(column)
        preferred = present if counted is None else present & counted
        chosen = preferred if preferred.sum() >= MIN_BENCHMARKS else present
        if chosen.sum() >= MIN_BENCHMARKS:
            shifts[run] = np.median(column[chosen])
    return shifts


def fill_shifts(shifts: Floats) -> Floats:
    """Shifts with unknown entries replaced by the median of the known ones; all zero when none is known."""
    known = shifts[~np.isnan(shifts)]
    return np.where(np.isnan(shifts), np.median(known) if known.size else 0.0, shifts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonShift:
    """The shift of the whole suite as a log ratio, the spread of its baseline runs, and the one-sided p values."""

    shift: float
    spread: float
    p_worse: float
    p_better: float
    runs: int
    new_runs: int


def compare_shifts(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> CommonShift | None:
    """t test with R - 1 df on the common shifts; None with fewer than two baseline runs or no candidate run.

    A host whose baseline runs already spread by 3 % widens its own limit. Equal shifts in all runs use the floor
    1e-5 of a spread, so a constant difference is decided and nothing divides by zero.
    """
    before, after = np.asarray(baseline, float), np.asarray(candidate, float)
    if before.size < 2 or not after.size:  # noqa: PLR2004 - a spread needs two runs
        return None
    spread = float(before.std(ddof=1))
    shift = float(after.mean() - before.mean())
    error = max(spread, 1e-5) * math.sqrt(1 / before.size + 1 / after.size)
    statistic = shift / error
    return CommonShift(
        shift=shift,
        spread=spread,
        p_worse=float(t_tail(statistic, before.size - 1)),
        p_better=float(t_tail(-statistic, before.size - 1)),
        runs=before.size,
        new_runs=after.size,
    )
