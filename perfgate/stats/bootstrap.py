"""Bootstrap intervals of the log ratio of medians.

They are percentile and BCa, over runs where there are enough (section 7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.laws import normal_quantile, normal_tail
from perfgate.stats.order_draws import run_draws, sample_draws

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

RESAMPLES = 9_999
LEVEL = 0.95
# Fewer runs cannot be resampled: the interval falls back to samples and sees within-run noise only.
MIN_RUNS = 3
BASELINE, CANDIDATE = 0, 1
CHUNK = 32  # rows gathered at once: 32 x 9,999 values stay in the cache
DIGITS = 12  # equal statistics must compare equal although their sums were added in another order


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Bounds of a log ratio."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioBootstrap:
    """Candidate against baseline as a log ratio.

    Positive is larger. Without `over_runs` it is no voice in a verdict.
    """

    estimate: float
    percentile: Interval
    bca: Interval
    over_runs: bool


def bootstrap_ratio(
    baseline: Sequence[npt.ArrayLike],
    candidate: Sequence[npt.ArrayLike],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> RatioBootstrap:
    """95 % intervals for one comparison; each side is a sequence of runs of positive values.

    At least three runs on both sides: runs are drawn with replacement, then samples inside each drawn run;
    the statistic is the mean over drawn runs of the log median. Otherwise the pooled samples are drawn, which
    sees the noise inside runs only and must not decide anything.
    """
    before = [np.sort(np.asarray(run, float)) for run in baseline]
    after = [np.sort(np.asarray(run, float)) for run in candidate]
    if min(len(before), len(after)) < MIN_RUNS:
        return _over_samples(np.concatenate(before), np.concatenate(after), seed, resamples)
    centres = [np.array([math.log(_median(run)) for run in side]) for side in (before, after)]
    estimate = float(np.round(centres[1].mean() - centres[0].mean(), DIGITS))
    drawn = _drawn_means(after, resamples, seed, CANDIDATE) - _drawn_means(before, resamples, seed, BASELINE)
    ordered = np.sort(np.round(drawn, DIGITS))[None, :]
    influence = _influence(-_left_out_means(centres[0])), _influence(_left_out_means(centres[1]))
    return _result(ordered, estimate, _acceleration(*influence), over_runs=True)


def bootstrap_rows(
    baseline: npt.ArrayLike, candidate: npt.ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES
) -> Floats:
    """Percentile and BCa bounds of the log ratio of medians of many comparisons.

    The result is (k, 4), low and high of each kind. Rows are comparisons of pooled samples: within-run noise
    only.
    """
    before = np.sort(np.atleast_2d(np.asarray(baseline, float)), axis=1)
    after = np.sort(np.atleast_2d(np.asarray(candidate, float)), axis=1)
    x_places = sample_draws(before.shape[1], resamples, seed, BASELINE)
    y_places = sample_draws(after.shape[1], resamples, seed, CANDIDATE)
    bounds = np.empty((before.shape[0], 4))
    for start in range(0, before.shape[0], CHUNK):
        x, y = before[start : start + CHUNK], after[start : start + CHUNK]
        ratios = y_places.medians(y) / x_places.medians(x)
        estimates = _row_medians(y) / _row_medians(x)
        ratios.sort(axis=1)
        below = _share_below(ratios, estimates)
        acceleration = np.array([_sample_acceleration(a, b) for a, b in zip(x, y, strict=True)])
        rows = slice(start, start + CHUNK)
        bounds[rows, 0], bounds[rows, 1] = (
            _quantiles(ratios, (1 - LEVEL) / 2),
            _quantiles(ratios, (1 + LEVEL) / 2),
        )
        bounds[rows, 2], bounds[rows, 3] = _bca_bounds(ratios, below, acceleration)
    return np.log(bounds)


def _over_samples(before: Floats, after: Floats, seed: int, resamples: int) -> RatioBootstrap:
    x, y = np.sort(before), np.sort(after)
    low, high, bca_low, bca_high = bootstrap_rows(x, y, seed=seed, resamples=resamples)[0]
    return RatioBootstrap(
        estimate=math.log(_median(y) / _median(x)),
        percentile=Interval(low=float(low), high=float(high)),
        bca=Interval(low=float(bca_low), high=float(bca_high)),
        over_runs=False,
    )


def _drawn_means(runs: Sequence[Floats], resamples: int, seed: int, side: int) -> Floats:
    places = run_draws(tuple(run.size for run in runs), resamples, seed, side)
    means: Floats = np.log(places.medians(np.concatenate(runs))).mean(axis=1)
    return means


def _result(ordered: Floats, estimate: float, acceleration: float, *, over_runs: bool) -> RatioBootstrap:
    below = _share_below(ordered, np.array([estimate]))
    low, high = _bca_bounds(ordered, below, np.array([acceleration]))
    return RatioBootstrap(
        estimate=estimate,
        percentile=Interval(
            low=float(_quantiles(ordered, (1 - LEVEL) / 2)[0]),
            high=float(_quantiles(ordered, (1 + LEVEL) / 2)[0]),
        ),
        bca=Interval(low=float(low[0]), high=float(high[0])),
        over_runs=over_runs,
    )


def _quantiles(ordered: Floats, probability: npt.ArrayLike) -> Floats:
    """Linear quantiles of each ordered row at its own probability."""
    rows, count = ordered.shape
    place = np.broadcast_to(np.asarray(probability, float), (rows,)) * (count - 1)
    low = np.clip(np.floor(place).astype(np.intp), 0, count - 1)
    high = np.minimum(low + 1, count - 1)
    index = np.arange(rows)
    share = place - low
    values: Floats = ordered[index, low] * (1 - share) + ordered[index, high] * share
    return values


def _share_below(ordered: Floats, estimates: Floats) -> Floats:
    """Share of resamples below the estimate, ties counted half, kept off 0 and 1 by half a resample."""
    count = ordered.shape[1]
    centre = estimates[:, None]
    share = ((ordered < centre).sum(axis=1) + 0.5 * (ordered == centre).sum(axis=1)) / count
    return np.asarray(np.clip(share, 0.5 / count, 1 - 0.5 / count), float)


def _bca_bounds(ordered: Floats, below: Floats, acceleration: Floats) -> tuple[Floats, Floats]:
    """BCa bounds (Efron 1987): the percentile levels moved by bias z0 and acceleration a."""
    bias = np.array([normal_quantile(float(share)) for share in below])
    bounds = []
    for level in ((1 - LEVEL) / 2, (1 + LEVEL) / 2):
        z = bias + normal_quantile(level)
        bounds.append(_quantiles(ordered, 1 - normal_tail(bias + z / (1 - acceleration * z))))
    return bounds[0], bounds[1]


def _influence(left_out: Floats) -> Floats:
    """Jackknife influences of one side: (n - 1) (mean - value left out) / n."""
    n = left_out.size
    values: Floats = (n - 1) * (left_out.mean() - left_out) / n
    return values


def _acceleration(*influences: Floats) -> float:
    """Acceleration of a statistic of several independent samples; 0 without any spread.

    Sum of cubes over 6 (sum of squares)^1.5, each side's influences divided by its n (Efron and Tibshirani
    1993, 14.3).
    """
    pooled = np.concatenate(influences)
    square = float((pooled**2).sum())
    return float((pooled**3).sum()) / (6 * square**1.5) if square > 0 else 0.0


def _left_out_means(centres: Floats) -> Floats:
    means: Floats = (centres.sum() - centres) / (centres.size - 1)
    return means


def _sample_acceleration(x: Floats, y: Floats) -> float:
    if min(x.size, y.size) < 2:  # noqa: PLR2004 - nothing can be left out of one value
        return 0.0
    return _acceleration(_influence(-_left_out_medians(x)), _influence(_left_out_medians(y)))


def _left_out_medians(ordered: Floats) -> Floats:
    """Log medians of ordered values with each one left out in turn."""
    n = ordered.size
    half = n // 2
    place = np.arange(n)
    if n % 2 == 0:  # n - 1 is odd: its middle value, moved by one where the removed value lies before it
        return np.asarray(np.log(np.where(place < half, ordered[half], ordered[half - 1])), float)
    left = np.where(place <= half - 1, ordered[half], ordered[half - 1])
    right = np.where(place <= half, ordered[half + 1], ordered[half])
    return np.asarray(np.log((left + right) / 2), float)


def _row_medians(ordered: Floats) -> Floats:
    half = ordered.shape[1] // 2
    if ordered.shape[1] % 2:
        middle: Floats = ordered[:, half]
        return middle
    means: Floats = (ordered[:, half - 1] + ordered[:, half]) * 0.5
    return means


def _median(ordered: Floats) -> float:
    return float(_row_medians(ordered[None, :])[0])
