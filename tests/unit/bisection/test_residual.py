from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.found import Found
from perfgate.bisection.probe import Launch
from perfgate.bisection.problem import Problem
from perfgate.bisection.residual import SURE, best_cut, chance_of_step, is_hopeful, split, weaker
from perfgate.bisection.trail import Trail
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground

CULPRIT = Found(good=9, bad=10, chance=0.9995, step=0.08, before=(), after=())


def trail_of(levels: list[float], *, noise: float = 0.01) -> Trail:
    """Two launches of each commit, and a culprit of 8 % behind position 9."""
    random = np.random.default_rng(4)
    trail = Trail(Problem(candidates=Ground(commits=50).candidates(), metric=KNOWN_METRICS["latency"]))
    for place, level in enumerate(levels):
        trail.values[place] = [level + noise * random.standard_normal(20) for _ in range(2)]
        trail.launches[place] = [
            Launch(samples=tuple(values), seconds=1.0, overhead=0.1) for values in trail.values[place]
        ]
    trail.found.append(CULPRIT)
    return trail


def test_the_cut_is_where_the_level_changes() -> None:
    assert best_cut(trail_of([0.0] * 4 + [0.03] * 4), (0, 7)) > 4
    assert best_cut(trail_of([0.0] * 8), (0, 7)) < 3


def test_a_second_step_is_told_from_nothing() -> None:
    later = [0.08] * 6
    assert chance_of_step(trail_of([0.0] * 5 + [0.03] * 5 + later), 9) > 0.999
    assert chance_of_step(trail_of([0.0] * 10 + later), 9) < 0.05


def test_builds_that_scatter_are_no_second_step() -> None:
    effects = 0.02 * np.random.default_rng(9).standard_normal(16)
    effects[4], effects[5:10] = -0.03, 0.02  # looks like a step between 4 and 5
    calm = [float(effects[:5].mean())] * 5 + [0.02] * 5
    assert chance_of_step(trail_of([*calm, *[0.08] * 6]), 9) >= SURE
    assert chance_of_step(trail_of([*effects[:10], *(0.08 + effects[10:])]), 9) < 0.5


def test_a_spoilt_launch_is_no_second_step() -> None:
    trail = trail_of([0.0] * 10 + [0.08] * 6)
    trail.values[0][0] = trail.values[0][0] + 0.15
    assert chance_of_step(trail, 9) < 0.1


def test_a_commit_between_two_steps_belongs_to_both_sides() -> None:
    trail = trail_of([0.0] * 16)
    trail.splits.append(12)
    parts = split(trail, np.arange(16))
    assert [(part.start, part.stop) for part in parts] == [(0, 10), (10, 13), (12, 16)]


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


@pytest.mark.parametrize("step", [0.08, 0.5, 1.43, 5.0])
def test_what_is_left_beside_a_large_step_is_judged_as_finely(step: float) -> None:
    trail = trail_of([0.0] * 10 + [step] * 6)
    trail.found[0] = Found(good=9, bad=10, chance=0.9995, step=step, before=(), after=())
    assert chance_of_step(trail, 9) < 0.1
    assert chance_of_step(trail, 15) < 0.1
    trail = trail_of([0.0] * 5 + [0.02] * 5 + [step] * 6, noise=0.003)
    trail.found[0] = Found(good=9, bad=10, chance=0.9995, step=step - 0.02, before=(), after=())
    assert chance_of_step(trail, 9) > 0.98
