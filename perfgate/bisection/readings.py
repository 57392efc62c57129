"""The launches of the probed commits as arrays: means without outliers, and the spread inside a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

OUTLIERS = 0.02  # share of samples that something else has slowed down
WIDE, WIDE_FLOOR = 3.0, 0.05  # SD of an outlier, and of a spoilt launch: three times the normal one plus 5 %
SPREAD_PENALTY = 1.07  # on the variance of a weighted mean: the error of the weights and of the SD
LEAST_SPREAD = 1e-6  # of a log value: timers that always say the same
LEAST_WEIGHT = 1e-6  # of a sample: a launch of nothing but outliers has a mean as well, and says little
_MOST_SURPRISE = 50.0  # nats: far more than the least weight takes
_ROUNDS = 4  # of weighing and estimating: one more changes the SD by under 1 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """K probed commits by position, their U launches side by side; `owner` says whose launch it is.

    `means` are of log values, positive in the wanted direction, weighed by the chance that a sample is no
    outlier; `counts` are the sums of these weights, `spread` is the SD inside a launch.
    """

    positions: Ints  # (K,), ascending
    owner: Ints  # (U,), ascending, 0..K-1
    starts: Ints  # (K,), the first launch of each commit
    means: Floats  # (U,)
    counts: Floats  # (U,)
    spread: float

    def noise(self) -> Floats:
        """Variance of each launch's mean that the spread inside it explains: 1.1 sd^2 / n."""
        variance: Floats = SPREAD_PENALTY * self.spread**2 / self.counts
        return variance

    def commits(self, launch_variance: float) -> tuple[Floats, Floats]:
        """Precision-weighted mean of each commit (K,) and its precision, 1 / variance, given tau^2."""
        each = 1.0 / (self.noise() + launch_variance)
        precision = self.sums(each)
        return self.sums(each * self.means) / precision, precision

    def sums(self, per_launch: Floats) -> Floats:
        """Per commit, the sum over its launches along the first axis."""
        total: Floats = np.add.reduceat(per_launch, self.starts, axis=0)
        return total

    def part(self, chosen: slice) -> Readings:
        """Some commits in a row: a slice with both bounds. The spread stays that of all."""
        ends = np.append(self.starts, len(self.means))
        first, last = ends[chosen.start], ends[chosen.stop]
        return Readings(
            positions=self.positions[chosen],
            owner=self.owner[first:last] - chosen.start,
            starts=self.starts[chosen] - first,
            means=self.means[first:last],
            counts=self.counts[first:last],
            spread=self.spread,
        )


def read(launches: Mapping[int, Sequence[Floats]]) -> Readings:
    """Arrays of the launches by position; every commit has at least one launch, every launch one sample."""
    positions = np.array(sorted(launches), dtype=np.int64)
    per_commit = [len(launches[int(position)]) for position in positions]
    batches = [values for position in positions for values in launches[int(position)]]
    sizes = np.array([len(values) for values in batches])
    values = np.concatenate(batches)
    medians = np.array([_median(batch) for batch in batches])
    means, counts, spread = _weighted(values, medians, sizes)
    starts = np.concatenate(([0], np.cumsum(per_commit)[:-1]))
    return Readings(
        positions=positions,
        owner=np.repeat(np.arange(len(positions)), per_commit),
        starts=starts,
        means=means,
        counts=counts,
        spread=spread,
    )


def _median(values: Floats) -> float:
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def _weighted(values: Floats, medians: Floats, sizes: Ints) -> tuple[Floats, Floats, float]:
    """Means of the launches, the samples that count in each, and their pooled SD.

    A sample counts by its chance not to be an outlier: (1-eps) N(r; 0, sd^2) against
    eps N(r; 0, (3 sd + .05)^2), r its distance from the launch's mean. Weights, means and SD are a fixed
    point (an EM algorithm). It is sought from the SD of all samples downwards, so that two modes, each
    with a good share of the samples, are one wide noise and not a few outliers.
    """
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    several = sizes > 1
    weights = np.ones_like(values)
    means, counts, spread = medians, sizes.astype(np.float64), LEAST_SPREAD
    for _ in range(_ROUNDS + 1):
        rest = values - np.repeat(means, sizes)
        freedom = float((counts - 1)[several].sum())
        if freedom > 0:
            spread = max(float(np.sqrt((weights * rest * rest).sum() / freedom)), LEAST_SPREAD)
        wide = WIDE * spread + WIDE_FLOOR
        odds = OUTLIERS / (1 - OUTLIERS) * spread / wide
        surprise = np.minimum(0.5 * (rest / spread) ** 2 - 0.5 * (rest / wide) ** 2, _MOST_SURPRISE)
        weights = np.maximum(1.0 / (1.0 + odds * np.exp(surprise)), LEAST_WEIGHT)
        counts = np.add.reduceat(weights, starts)
        means = np.add.reduceat(weights * values, starts) / counts
    return means, counts, spread
