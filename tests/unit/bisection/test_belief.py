from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.belief import believe

STEP = 0.05


def launches(places: list[int], culprit: int, *, seed: int = 1) -> dict[int, list[np.ndarray]]:
    random = np.random.default_rng(seed)
    return {place: [STEP * (place >= culprit) + 0.01 * random.standard_normal(10)] for place in places}


def test_without_inner_commits_chances_follow_the_weights() -> None:
    weights = np.ones(1001)
    belief = believe(launches([0, 1000], 700), weights, 0, 1000)
    assert belief.bad[500] == pytest.approx(0.5)
    weights[1:501] = 3.0
    assert believe(launches([0, 1000], 700), weights, 0, 1000).bad[500] == pytest.approx(0.75)


def test_the_segment_with_the_step_is_the_likely_one() -> None:
    belief = believe(launches([0, 400, 500, 600, 1000], 550), np.ones(1001), 0, 1000)
    assert belief.pair()[:2] == (500, 600)
    assert belief.pair()[2] > 0.99
    assert belief.step == pytest.approx(STEP, abs=0.01)


def test_chances_never_fall_along_the_range() -> None:
    belief = believe(launches([0, 3, 4, 9, 20], 4), np.ones(21), 0, 20)
    assert belief.bad[0] == 0
    assert belief.bad[-1] == pytest.approx(1.0)
    assert np.all(np.diff(belief.bad) >= 0)


def test_smallest_run_holds_its_share() -> None:
    belief = believe(launches([0, 400, 500, 600, 1000], 550), np.ones(1001), 0, 1000)
    assert belief.smallest_run(0.99) == (500, 600)
    first, last = belief.smallest_run(1.0)
    assert (first, last) == (0, 1000)


def test_other_positions_are_left_out_of_a_part() -> None:
    values = launches([0, 10, 20, 30], 5)
    belief = believe(values, np.ones(31), 0, 20)
    assert belief.readings.positions.tolist() == [0, 10, 20]


def test_commits_that_scatter_beyond_their_launches_show_a_build_effect() -> None:
    random = np.random.default_rng(5)
    places = [0, *range(100, 1000, 60), 1000]
    values = {
        place: [STEP * (place >= 520) + effect + 0.003 * random.standard_normal(10) for _ in range(2)]
        for place, effect in zip(places, 0.01 * random.standard_normal(len(places)), strict=True)
    }
    assert believe(values, np.ones(1001), 0, 1000).build_chance > 0.9
