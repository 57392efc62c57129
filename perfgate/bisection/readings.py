"""The launches of the probed commits as arrays: clipped means, counts, and the spread inside a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

CLIP = 2.5  # SD round a launch's median; slow outliers beyond it are pulled in
SPREAD_PENALTY = 1.1  # on the variance of a mean of clipped samples: outliers and the SD's own error
LEAST_SPREAD = 1e-6  # of a log value: timers that always say the same
_ROUNDS = 4  # of clipping and estimating: the third changes the SD by under 1 %
_MAD_TO_SD = 1.4826


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """K probed commits by position, their U launches side by side; `owner` says whose launch it is.

    `means` are of clipped log values, positive in the wanted direction; `spread` is the SD inside a launch.
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

    def sums(self, per_launch: Floats) -> Floats:
        """Per commit, the sum over its launches along the first axis."""
        total: Floats = np.add.reduceat(per_launch, self.starts, axis=0)
        return total


def read(launches: Mapping[int, Sequence[Floats]]) -> Readings:
    """Arrays of the launches by position; every commit has at least one launch, every launch one sample."""
    positions = np.array(sorted(launches), dtype=np.int64)
    per_commit = [len(launches[int(position)]) for position in positions]
    batches = [values for position in positions for values in launches[int(position)]]
    sizes = np.array([len(values) for values in batches])
    values = np.concatenate(batches)
    medians = np.repeat([_median(batch) for batch in batches], sizes)
    means, spread = _clipped(values, medians, sizes)
    starts = np.concatenate(([0], np.cumsum(per_commit)[:-1]))
    return Readings(
        positions=positions,
        owner=np.repeat(np.arange(len(positions)), per_commit),
        starts=starts,
        means=means,
        counts=sizes.astype(np.float64),
        spread=spread,
    )


def _median(values: Floats) -> float:
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def _clipped(values: Floats, medians: Floats, sizes: Ints) -> tuple[Floats, float]:
    """Means of the clipped launches and their pooled SD, which clipping needs: a fixed point, in rounds."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    several = np.repeat(sizes > 1, sizes)
    freedom = float((sizes - 1).sum())
    apart = np.abs(values - medians)[several]
    spread = max(_MAD_TO_SD * _median(apart) if len(apart) else 0.0, LEAST_SPREAD)
    means = values
    for _ in range(_ROUNDS):
        clipped = np.clip(values, medians - CLIP * spread, medians + CLIP * spread)
        means = np.add.reduceat(clipped, starts) / sizes
        if freedom:
            rest = clipped - np.repeat(means, sizes)
            spread = max(float(np.sqrt((rest * rest).sum() / freedom)), LEAST_SPREAD)
    return means, spread
