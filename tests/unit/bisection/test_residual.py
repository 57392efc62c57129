from __future__ import annotations

import pytest

from perfgate.bisection.residual import best_cut, is_hopeful, weaker
from tests.unit.bisection.side_world import trail_of


def test_the_cut_is_where_the_level_changes() -> None:
    assert best_cut(trail_of([0.0] * 4 + [0.03] * 4), (0, 7)) > 4
    assert best_cut(trail_of([0.0] * 8), (0, 7)) < 3


def test_the_end_that_is_known_less_well_is_launched() -> None:
    trail = trail_of([0.0] * 10)
    trail.values[0].append(trail.values[0][0])
    assert weaker(trail, 0, 9) == 9


@pytest.mark.parametrize(
    ("step", "left", "hopeful"), [(0.006, 160, True), (0.006, 10, False), (0.0045, 160, False)]
)
def test_a_small_difference_is_given_up_when_it_can_no_longer_be_proved(
    step: float, left: int, *, hopeful: bool
) -> None:
    # two commits of 2 x 20 samples: error sqrt(1.07 .01^2 / 20 + .003^2) = .0038. With 160 more it becomes
    # .0038 sqrt(80 / 240) = .0022, four of them .0088, with 10 more .0036 and .0143
    trail = trail_of([0.0, 0.0])
    trail.values = {
        place: [values - values.mean() + place * step for values in trail.values[place]] for place in (0, 1)
    }
    assert is_hopeful(trail, (0, 1), left) is hopeful
