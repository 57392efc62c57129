"""Which commits not probed so far are worth a build: near the wanted quantiles, away from broken ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]


SHORT = 8  # strides are at most this part of a segment


def untried_near(bad: Floats, low: int, tried: Ints, broken: Collection[int], quantiles: Floats) -> list[int]:
    """For each quantile the untried commit with P(bad) nearest to it, without repetition.

    `bad` are the chances of the positions from `low` on. Where commits round a quantile turned out broken,
    the next try is 1, 2, 4 ... commits away from the nearest broken one, in either direction: a stretch of
    n costs log n builds, and what was jumped over is tried at the end, when nothing else is left.
    """
    free = np.ones(len(bad), dtype=bool)
    free[tried - low] = False
    inside = np.array(sorted(place for place in broken if low <= place < low + len(bad)), dtype=np.int64)
    free[inside - low] = False
    found: list[int] = []
    for quantile in quantiles:
        chosen = _nearest(bad, low, tried, inside, (free, float(quantile)))
        if chosen is not None and chosen not in found:
            found.append(chosen)
    return found


def _nearest(
    bad: Floats, low: int, tried: Ints, broken: Ints, wanted: tuple[NDArray[np.bool_], float]
) -> int | None:
    free, quantile = wanted
    places = np.flatnonzero(free) + low
    if not len(places):
        return None
    apart = np.abs(bad[places - low] - quantile)
    if len(broken):
        # broken commits of the segment that the quantile lies in
        middle = low + int(np.argmin(np.abs(bad - quantile)))
        edge = int(np.searchsorted(tried, middle))
        left = tried[max(0, edge - 1)]
        right = tried[min(edge, len(tried) - 1)]
        near = broken[(broken > left) & (broken < right)]
        if len(near):
            gaps = np.abs(places[:, None] - near).min(axis=1)
            inside = (places > left) & (places < right)
            # in a short segment a long stride would cost a halving more than it saves
            stride = min(2 ** (len(near) - 1), max(1, int(right - left) // SHORT))
            while stride > 1 and not np.any(inside & (gaps >= stride)):
                stride //= 2
            apart = np.where(inside & (gaps < stride), apart + 1.0, apart)
    return int(places[np.argmin(apart)])
