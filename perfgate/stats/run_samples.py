"""All runs of one side of many comparisons, laid end to end so that a suite is computed at once.

Runs and samples may differ in number between comparisons. Costs are values where lower is better and
reciprocals where higher is better, so that larger is worse; `log cost = sign * log(value)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfgate.stats.location import linear_quantile, own_percentile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.intp]


LOG_DIGITS = 12  # a tie must survive the rounding of logs and shifts; clocks resolve nothing near 1e-12


class Statistic(NamedTuple):
    """The quantile that stands for a run: interpolated for a location, one of the values for a percentile."""

    probability: float
    is_interpolated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSamples:
    """Costs in order of comparison, run, acquisition; samples of each run; runs of each comparison."""

    costs: Floats
    run_sizes: Counts
    case_runs: Counts

    @property
    def case_of_run(self) -> Counts:
        """Which comparison each run belongs to."""
        return np.repeat(np.arange(self.case_runs.size), self.case_runs)

    @property
    def place_of_run(self) -> Counts:
        """The position of each run inside its comparison."""
        firsts = np.cumsum(self.case_runs) - self.case_runs
        places: Counts = np.arange(self.run_sizes.size) - np.repeat(firsts, self.case_runs)
        return places

    @property
    def case_sizes(self) -> Counts:
        """Samples of each comparison, its runs pooled."""
        return np.bincount(self.case_of_run, weights=self.run_sizes, minlength=self.case_runs.size).astype(
            np.intp
        )

    def padded(self, per_run: Floats) -> Floats:
        """One value per run as (comparisons, runs), NaN where a comparison has fewer runs."""
        table = np.full((self.case_runs.size, int(self.case_runs.max(initial=0))), np.nan)
        table[self.case_of_run, self.place_of_run] = per_run
        return table

    def locations(self, statistics: Sequence[Statistic]) -> Floats:
        """Log location of every run by its comparison's statistic, as (comparisons, runs) padded with NaN."""
        kinds = list(dict.fromkeys(statistics))
        kind_of_case = np.array([kinds.index(item) for item in statistics], np.intp)
        kind_of_run = kind_of_case[self.case_of_run]
        starts = np.cumsum(self.run_sizes) - self.run_sizes
        result = np.empty(self.run_sizes.size)
        for number, kind in enumerate(kinds):
            for size in np.unique(self.run_sizes[kind_of_run == number]):
                chosen = np.flatnonzero((kind_of_run == number) & (self.run_sizes == size))
                rows = np.sort(self.costs[starts[chosen, None] + np.arange(size)], axis=1)
                quantile = linear_quantile if kind.is_interpolated else own_percentile
                result[chosen] = quantile(rows, kind.probability)
        return self.padded(np.log(result))

    def log_costs(self, shifts: Floats) -> Floats:
        """Log costs less one shift per run (comparisons, runs), rounded so that equal costs stay equal."""
        per_run = shifts[self.case_of_run, self.place_of_run]
        return np.round(np.log(self.costs) - np.repeat(per_run, self.run_sizes), LOG_DIGITS)

    def pooled(self, flat: Floats, cases: Counts) -> Floats:
        """Entries of a flat array for these comparisons as rows; they must have equal totals."""
        sizes = self.case_sizes
        starts = np.cumsum(sizes) - sizes
        rows: Floats = flat[starts[cases, None] + np.arange(sizes[cases[0]])]
        return rows

    def extremes(self) -> tuple[Floats, Floats]:
        """Smallest and largest cost of each comparison."""
        sizes = self.case_sizes
        starts = np.cumsum(sizes) - sizes
        return np.minimum.reduceat(self.costs, starts), np.maximum.reduceat(self.costs, starts)

    def runs_of(self, case: int) -> list[Floats]:
        """The costs of one comparison, run by run."""
        first = int(self.case_runs[:case].sum())
        last = first + int(self.case_runs[case])
        start = int(self.run_sizes[:first].sum())
        sizes = self.run_sizes[first:last]
        return np.split(self.costs[start : start + int(sizes.sum())], np.cumsum(sizes)[:-1])


def lay_out(cases: Sequence[Sequence[npt.ArrayLike]], signs: Sequence[int]) -> RunSamples:
    """Positive values of each run of each comparison as costs.

    Sign -1 marks a metric where higher is better.
    """
    runs = [np.asarray(run, float) for case in cases for run in case]
    run_sizes = np.array([run.size for run in runs], np.intp)
    case_runs = np.array([len(case) for case in cases], np.intp)
    costs = np.concatenate(runs) if runs else np.empty(0)
    flipped = np.repeat(np.repeat(np.asarray(signs) < 0, case_runs), run_sizes)
    costs[flipped] = 1 / costs[flipped]
    return RunSamples(costs=costs, run_sizes=run_sizes, case_runs=case_runs)


def by_count(locations: Floats) -> Iterator[tuple[Counts, Floats]]:
    """Rows of a table padded with NaN, grouped by how many values they have.

    Yields the places of the rows and their values without padding.
    """
    counts = (~np.isnan(locations)).sum(axis=1)
    for count in np.unique(counts):
        places = np.flatnonzero(counts == count)
        yield places, locations[places, :count]
