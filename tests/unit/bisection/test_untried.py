from __future__ import annotations

import numpy as np

from perfgate.bisection.untried import build_luck, untried_near

EVEN = np.linspace(0.0, 1.0, 101)  # P(bad) of positions 0 to 100
ENDS = np.array([0, 100])
MIDDLE = np.array([0.5])


def test_the_median_comes_first() -> None:
    assert untried_near(EVEN, 0, ENDS, (), MIDDLE) == {50: 0.95}


def test_positions_count_from_the_low_end() -> None:
    assert list(untried_near(EVEN, 300, np.array([300, 400]), (), MIDDLE)) == [350]


def test_one_broken_commit_is_stepped_over() -> None:
    assert list(untried_near(EVEN, 0, ENDS, {50}, MIDDLE)) in ([49], [51])


def test_a_broken_stretch_is_left_in_few_builds() -> None:
    stretch = set(range(40, 60))
    broken: set[int] = set()
    place = 50
    while place in stretch:
        broken.add(place)
        (place,) = untried_near(EVEN, 0, ENDS, broken, MIDDLE)
    # stepping from neighbour to neighbour takes 20 builds, doubling strides about 2 log2 20
    assert len(broken) <= 9


def test_between_broken_commits_is_the_last_place_to_try() -> None:
    broken = np.array([44, 46, 50, 54, 56])
    luck = build_luck(0, 101, ENDS, broken)
    assert luck[48] < luck[42] < luck[30] < 0.95
    assert luck[50] == 0.0
    assert luck[0] == 0.0


def test_two_broken_commits_may_be_chance() -> None:
    luck = build_luck(0, 101, ENDS, np.array([30, 70]))
    assert luck[50] == luck[71] == 0.95


def test_what_was_jumped_over_is_tried_in_the_end() -> None:
    tried = np.array([0, 3])
    assert untried_near(np.array([0.0, 0.4, 0.6, 1.0]), 0, tried, {1}, MIDDLE) == {2: 0.95}
    assert untried_near(np.array([0.0, 0.4, 0.6, 1.0]), 0, tried, {1, 2}, MIDDLE) == {}


def test_workers_get_one_quantile_each() -> None:
    assert untried_near(EVEN, 0, ENDS, (), np.array([1 / 3, 2 / 3])) == {33: 0.95, 66: 0.95}
