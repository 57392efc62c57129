from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.another_step import chance_of_step, split
from perfgate.bisection.found import Found
from perfgate.bisection.residual import SURE
from tests.unit.bisection.side_world import trail_of


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


@pytest.mark.parametrize("step", [0.08, 0.5, 1.43, 5.0])
def test_what_is_left_beside_a_large_step_is_judged_as_finely(step: float) -> None:
    trail = trail_of([0.0] * 10 + [step] * 6)
    trail.found[0] = Found(good=9, bad=10, chance=0.9995, step=step, before=(), after=())
    assert chance_of_step(trail, 9) < 0.1
    assert chance_of_step(trail, 15) < 0.1
    trail = trail_of([0.0] * 5 + [0.02] * 5 + [step] * 6, noise=0.003)
    trail.found[0] = Found(good=9, bad=10, chance=0.9995, step=step - 0.02, before=(), after=())
    assert chance_of_step(trail, 9) > 0.98
