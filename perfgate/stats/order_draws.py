"""Resampled medians without resampling: the median of a bootstrap sample is one order statistic (section 7).

A bootstrap sample of n sorted values has its k-th value at place floor(n U), U the k-th of n uniform numbers,
which is a beta variable. So one beta draw stands for n draws and a sort. The draws depend on counts and seed
alone: they are made once and gathered for every comparison of the same shape, in whatever order comparisons
come.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianPlaces:
    """Places of the two middle values of each resample, equal for odd counts."""

    low: Places
    high: Places

    def medians(self, values: Floats) -> Floats:
        """Resampled medians of flat values along the last axis."""
        if self.low is self.high:
            gathered: Floats = np.take(values, self.low, axis=-1)
            return gathered
        means: Floats = np.take(values, self.low, axis=-1) + np.take(values, self.high, axis=-1)
        means *= 0.5
        return means


@lru_cache(maxsize=64)
def sample_draws(count: int, resamples: int, seed: int, side: int) -> MedianPlaces:
    """Draws for the median of `count` sorted values, one per resample."""
    return _places(count, (resamples,), np.random.default_rng([seed, side, count]))


@lru_cache(maxsize=64)
def run_draws(counts: tuple[int, ...], resamples: int, seed: int, side: int) -> MedianPlaces:
    """Hierarchical draws: runs with replacement, then the median inside each drawn run.

    The shape is (resamples, runs). Places point into the runs' sorted values laid end to end; `counts` are
    their sizes.
    """
    random = np.random.default_rng([seed, side, len(counts), *counts])
    shape = (resamples, len(counts))
    chosen = random.integers(len(counts), size=shape)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    low = np.zeros(shape, np.intp)
    high = np.zeros(shape, np.intp)
    sizes = np.asarray(counts)[chosen]
    for count in sorted(set(counts)):
        inside = _places(count, shape, random)
        low = np.where(sizes == count, inside.low, low)
        high = np.where(sizes == count, inside.high, high)
    low += starts[chosen]
    if all(count % 2 for count in counts):
        return MedianPlaces(low=low, high=low)
    high += starts[chosen]
    return MedianPlaces(low=low, high=high)


def _places(count: int, shape: tuple[int, ...], random: np.random.Generator) -> MedianPlaces:
    half = count // 2
    if count % 2:
        low = _floor(random.beta(half + 1, count - half, shape), count)
        return MedianPlaces(low=low, high=low)
    first = random.beta(half, count - half + 1, shape)
    second = first + (1 - first) * random.beta(1, count - half, shape)
    return MedianPlaces(low=_floor(first, count), high=_floor(second, count))


def _floor(uniform: Floats, count: int) -> Places:
    places: Places = np.minimum((uniform * count).astype(np.intp), count - 1)
    return places
