from __future__ import annotations

import numpy as np

from perfgate.bisection.untried import untried_near

EVEN = np.linspace(0.0, 1.0, 101)  # P(bad) of positions 0 to 100
ENDS = np.array([0, 100])
MIDDLE = np.array([0.5])


def test_the_median_comes_first() -> None:
    assert untried_near(EVEN, 0, ENDS, (), MIDDLE) == [50]


def test_positions_count_from_the_low_end() -> None:
    assert untried_near(EVEN, 300, np.array([300, 400]), (), MIDDLE) == [350]


def test_one_broken_commit_is_stepped_over() -> None:
    assert untried_near(EVEN, 0, ENDS, {50}, MIDDLE) in ([49], [51])


def test_the_stride_doubles_through_a_broken_stretch() -> None:
    broken: set[int] = set()
    strides = []
    for _ in range(5):
        (place,) = untried_near(EVEN, 0, ENDS, broken, MIDDLE)
        strides.append(min((abs(place - other) for other in broken), default=0))
        broken.add(place)
    # first the median, then 1, 2, 4 and 8 away from the nearest broken one
    assert strides == [0, 1, 2, 4, 8]


def test_what_was_jumped_over_is_tried_in_the_end() -> None:
    tried = np.array([0, 3])
    assert untried_near(np.array([0.0, 0.4, 0.6, 1.0]), 0, tried, {1}, MIDDLE) == [2]
    assert untried_near(np.array([0.0, 0.4, 0.6, 1.0]), 0, tried, {1, 2}, MIDDLE) == []


def test_workers_get_one_quantile_each() -> None:
    assert untried_near(EVEN, 0, ENDS, (), np.array([1 / 3, 2 / 3])) == [33, 67]
