"""How many bits a measurement says about whether a commit is good or bad."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

_LOG_ODDS_STEP, _LOG_ODDS_LAST = 0.25, 14.0  # p down to 8e-7
_DISTANCE_STEP, _DISTANCE_LAST = 0.1, 10.0  # beyond it the label is known: I = H(p)
_OUTCOMES = np.linspace(-9.0, 9.0 + _DISTANCE_LAST, 701)  # where the observation is integrated, in SD


def entropy(chance: ArrayLike) -> Floats:
    """Bits of a label that is bad with probability `chance`: -p log2 p - (1-p) log2 (1-p)."""
    p = np.clip(np.asarray(chance, dtype=np.float64), 0.0, 1.0)
    # xlogy by hand: 0 log 0 is 0
    safe, rest = np.where(p > 0, p, 1.0), np.where(p < 1, 1.0 - p, 1.0)
    bits: Floats = -(p * np.log2(safe) + (1.0 - p) * np.log2(rest))
    return bits


def information(chance: ArrayLike, distance: ArrayLike) -> Floats:
    """Mutual information in bits of a label and one normal observation, by linear interpolation in a table.

    The observation has mean 0 for good and `distance` SD for bad; `chance` is P(bad). docs/MATH.md 10.5.
    """
    p = np.asarray(chance, dtype=np.float64)
    p, d = np.broadcast_arrays(np.minimum(p, 1.0 - p), np.asarray(distance, dtype=np.float64))
    odds = -np.log(np.clip(p, 1e-12, 0.5) / (1.0 - np.clip(p, 1e-12, 0.5)))
    row = np.minimum(odds / _LOG_ODDS_STEP, _LOG_ODDS_LAST / _LOG_ODDS_STEP)
    column = np.minimum(np.abs(d) / _DISTANCE_STEP, _DISTANCE_LAST / _DISTANCE_STEP)
    shares = _table()
    top = np.minimum(row.astype(np.int64), shares.shape[0] - 2)
    left = np.minimum(column.astype(np.int64), shares.shape[1] - 2)
    down, right = row - top, column - left
    share = (1 - down) * ((1 - right) * shares[top, left] + right * shares[top, left + 1])
    share += down * ((1 - right) * shares[top + 1, left] + right * shares[top + 1, left + 1])
    bits: Floats = share * entropy(p)
    return bits


@cache
def _table() -> Floats:
    """I(p, d) / H(p), rows by log odds of good, columns by distance; H(p) - E[H(p | y)] integrated over y."""
    odds = np.arange(0.0, _LOG_ODDS_LAST + _LOG_ODDS_STEP, _LOG_ODDS_STEP)
    rows = [_information_row(float(p)) / entropy(p) for p in 1.0 / (1.0 + np.exp(odds))]
    return np.clip(np.array(rows), 0.0, 1.0)


def _information_row(chance: float) -> Floats:
    distances = np.arange(0.0, _DISTANCE_LAST + _DISTANCE_STEP, _DISTANCE_STEP)[:, None]
    good = np.exp(-0.5 * _OUTCOMES**2) * (1.0 - chance)
    bad = np.exp(-0.5 * (_OUTCOMES - distances) ** 2) * chance
    density = good + bad
    left = entropy(np.divide(bad, density, out=np.zeros_like(density), where=density > 0))
    step = _OUTCOMES[1] - _OUTCOMES[0]
    expected: Floats = (density * left).sum(axis=1) * step / np.sqrt(2.0 * np.pi)
    return np.asarray(entropy(chance) - expected, dtype=np.float64)
