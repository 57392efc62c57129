"""Test A: the run-level t test whose variance borrows from the suite (Smyth 2004; STATISTICS section 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import digamma, t_tail, tetragamma, trigamma

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_BENCHMARKS = 5  # fewer cannot show how variances scatter over the suite
VARIANCE_FLOOR = 1e-10  # of a log: 10 ppm, below any clock
SETTLED = 1e-12  # relative step at which Newton's iteration is done


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What the suite says about a benchmark's variance.

    `variance` counts for `df` degrees of freedom; 0 says nothing.
    """

    df: float = 0.0
    variance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTest:
    """Difference of mean log locations, its standard error, degrees of freedom, t.

    One entry per comparison.
    """

    difference: Floats
    error: Floats
    df: Floats
    variance: Floats

    @property
    def statistic(self) -> Floats:
        """The difference in standard errors."""
        ratio: Floats = self.difference / self.error
        return ratio

    def worse(self) -> Floats:
        """One-sided p that the candidate is slower."""
        return t_tail(self.statistic, self.df)

    def better(self) -> Floats:
        """One-sided p that the candidate is faster."""
        return t_tail(-self.statistic, self.df)


def variance_floor(resolution: npt.ArrayLike, location: npt.ArrayLike) -> Floats:
    """The least believable variance of a log.

    It is that of a uniform rounding error of the clock, and never under 1e-10.
    """
    step = np.asarray(resolution, float) / np.asarray(location, float)
    return np.asarray(np.maximum(VARIANCE_FLOOR, step**2 / 12), float)


def fit_prior(variances: npt.ArrayLike, df: npt.ArrayLike, *, min_benchmarks: int = MIN_BENCHMARKS) -> Prior:
    """Prior over the variances of a suite, from its baseline runs alone; benchmarks without df are left out.

    Matches mean and variance of the log variances (Smyth 2004). No scatter beyond chance gives infinite df.
    It is dominated by quiet benchmarks: never let it shrink a noisy one's own variance (`moderate` does not).
    """
    spread, freedom = np.asarray(variances, float), np.asarray(df, float)
    usable = (freedom > 0) & (spread > 0)
    spread, freedom = spread[usable], freedom[usable]
    if spread.size < min_benchmarks:
        return Prior()
    e = np.log(spread) - digamma(freedom / 2) + np.log(freedom / 2)
    excess = float(e.var(ddof=1) - trigamma(freedom / 2).mean())
    mean = float(e.mean())
    if excess <= 0:
        return Prior(df=math.inf, variance=math.exp(mean))
    half = inverse_trigamma(excess)
    return Prior(df=2 * half, variance=math.exp(mean + float(digamma(half)) - math.log(half)))


def inverse_trigamma(value: float) -> float:
    """The x with trigamma(x) = value > 0, by Newton's iteration on 1 / trigamma, which is nearly linear."""
    x = 0.5 + 1 / value
    for _ in range(100):
        current = float(trigamma(x))
        step = current * (1 - current / value) / float(tetragamma(x))
        x += step
        if abs(step) <= SETTLED * x:
            break
    return x


def moderate(variances: npt.ArrayLike, df: npt.ArrayLike, prior: Prior) -> Floats:
    """Each variance drawn towards the prior, but never below its own value."""
    own, freedom = np.asarray(variances, float), np.asarray(df, float)
    if math.isinf(prior.df):
        return np.asarray(np.maximum(prior.variance, own), float)
    total = np.maximum(prior.df + freedom, np.finfo(float).tiny)
    return np.asarray(np.maximum((prior.df * prior.variance + freedom * own) / total, own), float)


def two_sample_error(variance: npt.ArrayLike, runs: npt.ArrayLike, new_runs: npt.ArrayLike) -> Floats:
    """Standard error of the difference of two means of runs."""
    spread = np.asarray(variance, float)
    return np.sqrt(spread * (1 / np.asarray(runs, float) + 1 / np.asarray(new_runs, float)))


def pair_test(differences: npt.ArrayLike, prior: Prior, floors: npt.ArrayLike) -> RunTest:
    """Moderated one-sample t on the pair differences of interleaved runs: (comparisons, pairs), df = J - 1.

    Rows may be padded with NaN at the end.
    """
    rows = np.atleast_2d(np.asarray(differences, float))
    pairs = row_counts(rows)
    df = pairs - 1.0
    own = np.maximum(sums_of_squares(rows) / np.maximum(df, 1.0), floors)
    variance = moderate(own, df, prior)
    return RunTest(
        difference=row_means(rows),
        error=np.sqrt(variance / pairs),
        df=np.maximum(prior.df + df, 1.0),
        variance=variance,
    )


def row_counts(table: Floats) -> Floats:
    """Values of each row, NaN padding left out."""
    counts: Floats = (~np.isnan(table)).sum(axis=1).astype(float)
    return counts


def row_means(table: Floats) -> Floats:
    """Mean of each row, NaN padding left out."""
    means: Floats = np.nansum(table, axis=1) / row_counts(table)
    return means


def sums_of_squares(table: Floats) -> Floats:
    """Sum of squared deviations from the mean of each row, NaN padding left out."""
    squares: Floats = np.nansum((table - row_means(table)[:, None]) ** 2, axis=1)
    return squares
