"""What the whole suite did together in one run: the host, not a benchmark (STATISTICS section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.drift import walk_variance
from perfgate.stats.laws import t_tail
from perfgate.stats.moderated_t import VARIANCE_FLOOR

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_BENCHMARKS = 8
MIN_RUNS = 2  # a spread needs two runs


def run_shifts(
    locations: npt.ArrayLike, centres: npt.ArrayLike, counted: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """Common shift of each run: the median over benchmarks of log location minus the benchmark's centre.

    `locations` is (benchmarks, runs) with NaN where a benchmark has no such run, `centres` the medians of its
    baseline runs. `counted` leaves benchmarks out (suspects, while their fresh runs are judged). A run with
    fewer than eight benchmarks has no shift of its own: NaN.
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
    """The shift of the whole suite as a log ratio.

    Beside it the spread of its baseline runs and the one-sided p-values.
    """

    shift: float
    spread: float
    p_worse: float
    p_better: float


def compare_shifts(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> CommonShift | None:
    """Student's test with R - 1 df on the common shifts of runs.

    None with fewer than two baseline runs or no candidate run.

    A host whose baseline runs already spread by 3 % widens its own limit. The standard error is the larger of
    two: the one of exchangeable runs, and the one of a host that walks with the steps seen between
    neighbouring baseline runs. The second only widens: a drifting host cannot be told from a steady one with
    five runs.
    """
    before, after = np.asarray(baseline, float), np.asarray(candidate, float)
    r, c = before.size, after.size
    if r < MIN_RUNS or not c:
        return None
    spread = float(before.std(ddof=1))
    exchangeable = spread**2 * (1 / r + 1 / c)
    walking = float((np.diff(before) ** 2).mean()) * float(walk_variance(r, c))
    error = math.sqrt(max(exchangeable, walking, VARIANCE_FLOOR))
    return _judged(float(after.mean() - before.mean()), spread, error, r - 1)


def compare_paired_shifts(differences: npt.ArrayLike) -> CommonShift | None:
    """The same for interleaved runs: a one-sample t test on the common shifts of the pairs."""
    pairs = np.asarray(differences, float)
    if pairs.size < MIN_RUNS:
        return None
    spread = float(pairs.std(ddof=1))
    error = math.sqrt(max(spread**2, VARIANCE_FLOOR) / pairs.size)
    return _judged(float(pairs.mean()), spread, error, pairs.size - 1)


def _judged(shift: float, spread: float, error: float, df: int) -> CommonShift:
    return CommonShift(
        shift=shift,
        spread=spread,
        p_worse=float(t_tail(shift / error, df)),
        p_better=float(t_tail(-shift / error, df)),
    )
