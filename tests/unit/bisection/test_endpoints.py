from __future__ import annotations

import math

import numpy as np
import pytest

from perfgate.bisection.endpoints import Contrast, contrast, launch_size, launch_variance
from perfgate.bisection.probe import Launch
from perfgate.bisection.problem import Problem
from perfgate.bisection.readings import read
from perfgate.bisection.trail import Trail
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground


def trail_of(values: dict[int, list[np.ndarray]]) -> Trail:
    trail = Trail(Problem(candidates=Ground(commits=3).candidates(), metric=KNOWN_METRICS["latency"]))
    trail.values = values
    return trail


def test_z_by_hand() -> None:
    # two launches of (-.01, 0, .01) at each end, .05 apart: SD .01, n = 6, tau at its least, .003:
    # 1.07 x 1.0013e-4 x (1/5.978 + 1/5.978) + 9e-6 x (1/2 + 1/2) = 4.484e-5, z = .05 / .006697 = 7.47;
    # a sample in the middle weighs .99745, one at 1 SD .9958: n = 5.978, sd^2 = .9958 x 2e-4 / 1.98905
    batch = np.array([-0.01, 0.0, 0.01])
    seen = contrast(trail_of({0: [batch, batch], 2: [batch + 0.05, batch + 0.05]}), 0, 2)
    assert seen.step == pytest.approx(0.05)
    assert seen.error == pytest.approx(math.sqrt(4.484e-5), rel=1e-3)
    assert seen.z == pytest.approx(7.467, rel=1e-3)


def test_launch_variance_is_recovered() -> None:
    random = np.random.default_rng(1)
    values = {
        place: [0.02 * random.standard_normal() + 0.01 * random.standard_normal(10) for _ in range(200)]
        for place in (0, 1)
    }
    # 398 degrees of freedom: the standard error of a variance is sqrt(2 / 398) = 7 %
    assert launch_variance(read(values)) == pytest.approx(0.02**2, rel=0.21)


def test_launches_that_agree_have_the_least_launch_effect() -> None:
    batch = np.array([-0.01, 0.0, 0.01])
    assert launch_variance(read({0: [batch, batch]})) == pytest.approx(9e-6)


@pytest.mark.parametrize(
    ("effect", "overhead", "samples"),
    [
        (0.0, 1.0, 10),  # sqrt(1.1) x .03 / .003 = 10.5: the largest
        (0.02, 1.0, 3),  # 1.6: the smallest
        (0.02, 16.0, 6),  # sqrt(16) x 1.6 = 6.3: starting a process costs more than samples
    ],
)
def test_launches_are_short_where_they_differ(effect: float, overhead: float, samples: int) -> None:
    random = np.random.default_rng(3)
    values = []
    for _ in range(400):
        batch = random.standard_normal(10)
        batch = 0.03 * (batch - batch.mean()) / batch.std(ddof=1)  # spread and mean exactly as wanted
        values.append(batch + math.hypot(0.03 / math.sqrt(10), effect) * random.standard_normal())
    trail = trail_of({0: values[:200], 2: values[200:]})
    launch = Launch(samples=(1.0,) * 10, seconds=10.0, overhead=overhead)
    trail.launches = {0: [launch]}
    # clipping and 398 launches: within a fifth
    assert launch_size(trail) == pytest.approx(samples, rel=0.21)


@pytest.mark.parametrize(("freedom", "least"), [(18.0, 5.18), (38.0, 4.50), (1e6, 4.00)])
def test_clear_means_the_same_chance_whatever_the_samples(freedom: float, least: float) -> None:
    # P(Z >= 4) = 3.167e-5 is the tail of Student's law there, by its tables
    for z, is_clear in ((least + 0.02, True), (least - 0.02, False), (-least - 0.02, True)):
        assert Contrast(step=z, error=1.0, spread=1.0, freedom=freedom).is_clear is is_clear
