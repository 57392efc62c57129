"""The exact laws against whole numbers of any size."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import pytest

from perfgate.stats.rank_laws import tied_tail, untied_tail


def counts(n: int, m: int) -> list[int]:
    """Coefficients of the Gaussian binomial by the recursion on whole numbers."""
    law = [1]
    for i in range(1, n + 1):
        longer = law + [0] * (m + i)
        for place, count in enumerate(law):
            longer[place + m + i] -= count
        for place in range(i, len(longer)):
            longer[place] += longer[place - i]
        law = longer[: i * m + 1]
    return law


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 4), (5, 5), (6, 4), (30, 30), (20, 100), (60, 40)])
def test_untied_tails_keep_full_relative_accuracy(n: int, m: int) -> None:
    law = counts(n, m)
    assert sum(law) == math.comb(n + m, n)
    exact = [Fraction(count, math.comb(n + m, n)) for count in accumulate(reversed(law))][::-1]
    table = untied_tail(n, m)
    assert table.size == n * m + 1
    worst = max(
        abs(float(Fraction(float(ours)) / theirs - 1)) for ours, theirs in zip(table, exact, strict=True)
    )
    assert worst < 1e-13  # a few hundred operations of 1e-16 each


def test_sides_change_places() -> None:
    assert untied_tail(7, 4).tolist() == untied_tail(4, 7).tolist()


def test_tied_law_counts_subsets() -> None:
    # ranks 1, 2.5, 2.5, 4 doubled: 2 5 5 8; pairs sum to 7 7 10 10 13 13
    least, tail = tied_tail((2, 5, 5, 8), 2)
    assert least == 7
    assert [float(tail[total - least]) for total in (7, 8, 10, 11, 13)] == pytest.approx(
        [1, 4 / 6, 4 / 6, 2 / 6, 2 / 6]
    )
