"""The ground on which the cases of one metric stand.

Locations, common mode, prior, drift and modes of the suite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.common_mode import (
    MIN_BENCHMARKS,
    CommonShift,
    compare_paired_shifts,
    compare_shifts,
    fill_shifts,
    run_shifts,
)
from perfgate.stats.drift import Drift, clear_trends, find_drift
from perfgate.stats.moderated_t import Prior, fit_prior, row_counts, sums_of_squares, variance_floor
from perfgate.stats.modes import Modes, find_modes, runs_needed
from perfgate.stats.run_samples import RunSamples, lay_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from perfgate.gate.sampled_case import SampledCase, SuiteRule

    Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of all cases.

    Samples, and per run the raw log location and the common shift that is taken off.
    Tables are (cases, runs), padded with NaN.
    """

    samples: RunSamples
    raw: Floats
    shifts: Floats

    @property
    def locations(self) -> Floats:
        """Log locations without the common mode."""
        adjusted: Floats = self.raw - self.shifts
        return adjusted

    @property
    def runs(self) -> npt.NDArray[np.intp]:
        """Runs of each case."""
        return self.samples.case_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The cases of one metric with what the suite says about them.

    `candidate` is the first stage; `trends` are the slopes per run of baselines that clearly trend; `common`
    is None when the suite is too small or the baseline not replicated.
    """

    cases: tuple[SampledCase, ...]
    baseline: Side
    candidate: Side
    prior: Prior
    drift: Drift
    modes: Modes
    floors: Floats
    trends: Floats
    common: CommonShift | None = None
    notes: tuple[str, ...] = ()

    def needed_runs(self, alpha: float, *, slower: bool) -> int:
        """Candidate runs that exclude modes as the reason for a difference."""
        modal = self.baseline.runs[list(self.modes.modal)]
        runs = int(modal.min()) if modal.size else 1
        return runs_needed(self.modes, len(self.cases), runs, alpha=alpha, slower=slower)


def lay_ground(cases: Sequence[SampledCase], rule: SuiteRule, *, adjusted: bool = True) -> Ground:
    """Locations and suite-wide findings of cases that share a metric.

    All but `common` from the baseline alone.

    Without `adjusted` the common mode is left in.
    """
    signs = [case.sign for case in cases]
    statistics = [case.statistic for case in cases]
    before = lay_out([case.baseline for case in cases], signs)
    after = lay_out([case.candidate for case in cases], signs)
    raw_before, raw_after = before.locations(statistics), after.locations(statistics)
    centres = row_medians(raw_before)
    shifts_before, shifts_after = run_shifts(raw_before, centres), run_shifts(raw_after, centres)
    baseline = Side(samples=before, raw=raw_before, shifts=_spread(shifts_before * adjusted, raw_before))
    candidate = Side(samples=after, raw=raw_after, shifts=_spread(shifts_after * adjusted, raw_after))
    locations = baseline.locations
    floors = variance_floor([case.resolution for case in cases], _values(centres, signs))
    paired = rule.is_interleaved
    return Ground(
        cases=tuple(cases),
        baseline=baseline,
        candidate=candidate,
        prior=_fit_prior(locations - candidate.locations if paired else locations, floors),
        drift=Drift() if paired else find_drift(locations),
        modes=find_modes(locations, [case.effect for case in cases]),
        floors=floors,
        trends=np.zeros(len(cases)) if paired else clear_trends(locations, floors),
        common=_common_shift(shifts_before, shifts_after, paired=paired),
    )


def with_fresh_runs(
    ground: Ground, is_suspect: npt.NDArray[np.bool_], *, adjusted: bool = True
) -> Side | None:
    """First-stage and fresh candidate runs together; None when no case has fresh runs.

    The fresh runs' common mode comes from the controls: with few benchmarks in a run, the suspects would be
    taken for the host.
    """
    cases = ground.cases
    if not any(case.fresh for case in cases):
        return None
    signs = [case.sign for case in cases]
    statistics = [case.statistic for case in cases]
    fresh = lay_out([case.fresh for case in cases], signs).locations(statistics)
    known = run_shifts(fresh, row_medians(ground.baseline.raw), ~is_suspect)
    first = ground.candidate.shifts
    fallback = float(np.nanmedian(first)) if len(cases) >= MIN_BENCHMARKS else 0.0
    fresh_shifts = np.where(np.isnan(known), fallback, known) * adjusted
    samples = lay_out([(*case.candidate, *case.fresh) for case in cases], signs)
    place, case = samples.place_of_run, samples.case_of_run
    late = place - ground.candidate.runs[case]
    first_place = np.minimum(place, first.shape[1] - 1)
    per_run = np.where(late >= 0, fresh_shifts[np.maximum(late, 0)], first[case, first_place])
    return Side(samples=samples, raw=samples.locations(statistics), shifts=samples.padded(per_run))


def row_medians(table: Floats) -> Floats:
    """Median of each row, NaN padding left out; the fast way where nothing is padded."""
    medians: Floats = np.nanmedian(table, axis=1) if np.isnan(table).any() else np.median(table, axis=1)
    return medians


def _spread(shifts: Floats, table: Floats) -> Floats:
    """One row of shifts for every case; unknown shifts take the side's median, or 0."""
    return np.where(np.isnan(table), np.nan, fill_shifts(shifts))


def _values(centres: Floats, signs: Sequence[int]) -> Floats:
    values: Floats = np.exp(centres * np.asarray(signs))
    return values


def _fit_prior(locations: Floats, floors: Floats) -> Prior:
    df = row_counts(locations) - 1
    squares = sums_of_squares(locations)
    return fit_prior(np.maximum(squares / np.maximum(df, 1.0), floors), df)


def _common_shift(before: Floats, after: Floats, *, paired: bool) -> CommonShift | None:
    known_before, known_after = before[~np.isnan(before)], after[~np.isnan(after)]
    if paired:
        pairs = min(before.size, after.size)
        differences = after[:pairs] - before[:pairs]
        return compare_paired_shifts(differences[~np.isnan(differences)])
    return compare_shifts(known_before, known_after)
