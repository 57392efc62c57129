"""Exact null laws of the Mann-Whitney statistic, with and without ties."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

TABLE_LIMIT = (
    250_000  # n * m up to which the untied law is tabulated: 500 v 500 takes a third of a second, once
)


@lru_cache(maxsize=64)
def untied_tail(n: int, m: int) -> Floats:
    """P(U >= u) for u = 0 .. n*m when no two of n + m values are equal.

    Gaussian binomial coefficients: the law for i values is the one for i - 1 values times (1 - q^(m+i)) / (1
    - q^i). Dividing first and working on the lower half keeps every coefficient positive and at full relative
    accuracy; each step is scaled to a probability, so nothing overflows (terms under 1e-300 become 0).
    """
    n, m = min(n, m), max(n, m)
    top = n * m
    half = top // 2 + 1
    law = np.zeros(half)
    law[0] = 1.0
    for i in range(1, n + 1):
        law = _strided_sum(law, i)
        shift = m + i
        if shift < half:
            law[shift:] -= law[:-shift].copy()
        law *= i / (m + i)
    lower = np.cumsum(law)  # P(U <= u), u < half; P(U >= u) = P(U <= n*m - u) by symmetry
    tail = np.empty(top + 1)
    tail[top - half + 1 :] = lower[::-1]
    rest = top - half + 1
    tail[:rest] = 1.0 - np.concatenate(([0.0], lower[: rest - 1])) if rest else tail[:rest]
    tail.setflags(write=False)
    return tail


def _strided_sum(law: Floats, stride: int) -> Floats:
    """Running sums over every `stride`-th entry: division by 1 - q^stride."""
    rows = -(-law.size // stride)
    padded = np.zeros(rows * stride)
    padded[: law.size] = law
    sums: Floats = padded.reshape(rows, stride).cumsum(axis=0).ravel()[: law.size]
    return sums


@lru_cache(maxsize=4096)
def tied_tail(doubled_ranks: tuple[int, ...], m: int) -> tuple[int, Floats]:
    """The conditional law of the doubled rank sum of m of these values.

    The result is the least sum and P(S >= least + index).

    All ways to choose m of the n + m pooled mid-ranks are equally likely; dynamic programming over the values
    counts them by sum. Doubling makes mid-ranks whole numbers.
    """
    size = sum(doubled_ranks)
    counts = np.zeros((m + 1, size + 1))
    counts[0, 0] = 1.0
    for rank in doubled_ranks:
        counts[1:, rank:] += counts[:-1, : size + 1 - rank].copy()
    law = counts[m]
    least = int(np.flatnonzero(law)[0])
    tail = np.cumsum(law[::-1])[::-1][least:] / law.sum()
    tail.setflags(write=False)
    return least, tail
