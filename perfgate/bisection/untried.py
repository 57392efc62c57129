"""Which commits not probed so far are worth a build: near the wanted quantiles, away from broken ones."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.information import entropy

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

BUILD_LUCK = 0.95  # chance that a commit builds when nothing near it is known to be broken
_LEAST_WORTH = 1e-9  # bits: a commit that says nothing is still taken when it is the last one


def untried_near(
    bad: Floats, low: int, tried: Ints, broken: Collection[int], quantiles: Floats
) -> dict[int, float]:
    """For each quantile the untried commit that splits best there, with its chance to build.

    `bad` are the chances of the positions from `low` on. A split is worth the bits of its two parts, times
    the chance to get it: a broken commit is stepped over, a stretch of n costs log n builds, and what was
    jumped over is tried at the end, when nothing else is left.
    """
    luck = build_luck(low, len(bad), tried, np.array(sorted(broken), dtype=np.int64))
    found: dict[int, float] = {}
    for quantile in quantiles:
        # the wanted quantile is worth one bit, like an even split
        worth = luck * (entropy(np.interp(bad, (0.0, quantile, 1.0), (0.0, 0.5, 1.0))) + _LEAST_WORTH)
        best = int(np.argmax(worth))
        if worth[best] > 0:
            found.setdefault(low + best, float(luck[best]))
    return found


def build_luck(low: int, count: int, tried: Ints, broken: Ints) -> Floats:
    """Chance that each position from `low` on builds; 0 for those that were tried or are broken.

    Breakage lasts: near commits of the same segment that are broken a commit is likely to be so as well.
    """
    luck = np.full(count, BUILD_LUCK)
    for left, right in pairwise(tried):
        near = broken[(broken > left) & (broken < right)]
        if len(near):
            places = np.arange(left + 1, right)
            luck[places - low] *= _past(near, places)
    luck[tried - low] = 0.0
    return luck


def _past(near: Ints, places: Ints) -> Floats:
    """Chance that a place is past the stretch of these broken commits, larger with the gap to the nearest.

    Two broken ones may be chance; from the third on a stretch is expected to go on for 1, 2, 4 ... commits,
    at most for what it spans. Between broken ones it is rather taken for one stretch than for two.
    """
    length = min(2.0 ** max(len(near) - 2, 0) - 1.0, float(near[-1] - near[0]))
    gaps = np.abs(places[:, None] - near).min(axis=1)
    past = gaps / np.maximum(gaps + length, 1.0)
    is_outside = (places < near[0]) | (places > near[-1])
    chance: Floats = np.where(is_outside, np.cbrt(past), past**2)
    return chance
