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
    """What the suite says about a benchmark's variance: `variance` worth `df` degrees of freedom (0: nothing)."""

    df: float = 0.0
    variance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTest:
    """Difference of mean log locations, its standard error, degrees of freedom, t; one entry per comparison."""

    difference: Floats
    error: Floats
    df: Floats
    variance: Floats

    @property
    def statistic(self) -> Floats:
        """d / se."""
        ratio: Floats = self.difference / self.error
        return ratio

    def worse(self) -> Floats:
        """One-sided p that the candidate is slower."""
        return t_tail(self.statistic, self.df)

    def better(self) -> Floats:
        """One-sided p that the candidate is faster."""
        return t_tail(-self.statistic, self.df)


def variance_floor(resolution: npt.ArrayLike, location: npt.ArrayLike) -> Floats:
    """The least believable variance of a log: a uniform rounding error of the clock, and never under 1e-10."""
    step = np.asarray(resolution, float) / np.asarray(location, float)
    return np.maximum(VARIANCE_FLOOR, step**2 / 12)


def fit_prior(variances: npt.ArrayLike, df: npt.ArrayLike, *, min_benchmarks: int = MIN_BENCHMARKS) -> Prior:
    """Prior over the variances of a suite, from its baseline runs alone; benchmarks without df are left out.

    Matches mean and variance of the log variances (Smyth 2004). No scatter beyond chance gives infinite df. It is
    dominated by quiet benchmarks: never let it shrink a noisy one's own variance (`moderate` does not).
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
    """x with trigamma(x) = value > 0, by Newton's iteration on 1 / trigamma, which is nearly linear."""
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
        return np.maximum(prior.variance, own)
    total = np.maximum(prior.df + freedom, np.finfo(float).tiny)
    return np.maximum((prior.df * prior.variance + freedom * own) / total, own)


def two_sample_error(variance: npt.ArrayLike, runs: npt.ArrayLike, new_runs: npt.ArrayLike) -> Floats:
    """Standard error of the difference of two means of runs."""
    spread = np.asarray(variance, float)
    return np.sqrt(spread * (1 / np.asarray(runs, float) + 1 / np.asarray(new_runs, float)))


def pair_test(differences: npt.ArrayLike, prior: Prior, floor: npt.ArrayLike) -> RunTest:
    """Moderated one-sample t on the pair differences of interleaved runs; rows are comparisons, df = J - 1."""
    rows = np.atleast_2d(np.asarray(differences, float))
    pairs = rows.shape[1]
    df = np.full(rows.shape[0], pairs - 1.0)
    own = np.maximum(rows.var(axis=1, ddof=1), floor)
    variance = moderate(own, df, prior)
    return RunTest(
        difference=rows.mean(axis=1), error=np.sqrt(variance / pairs), df=prior.df + df, variance=variance
    )
