"""What holds for every search: same outcomes, same probes; chances are chances; launches have no order."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perfgate.bisection.belief import believe
from perfgate.bisection.problem import Problem
from perfgate.bisection.search import find, search
from perfgate.core.metric import KNOWN_METRICS
from tests.bisection_world import Ground, World

levels = st.floats(-0.2, 0.2)
batches = st.lists(st.lists(levels, min_size=1, max_size=6).map(np.array), min_size=1, max_size=4)


EQUAL_ENDS = [np.zeros(2), np.array([0.0] * 4 + [0.125]), np.zeros(6), np.array([0.0] * 5 + [0.125])]


@example({5: [np.zeros(1), np.zeros(4)]}, EQUAL_ENDS, EQUAL_ENDS[::-1], Random(1))  # noqa: S311 - an order, no secret
@given(st.dictionaries(st.integers(1, 49), batches, max_size=6), batches, batches, st.randoms())
@settings(max_examples=60, deadline=None)
def test_chances_sum_to_one_and_launches_have_no_order(inner, good, bad, random) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - hypothesis fills them in
    values = {0: good, 50: bad} | inner
    belief = believe(values, np.ones(51), 0, 50)
    assert belief.segments.sum() == pytest.approx(1.0)
    assert np.all((belief.bad >= 0) & (belief.bad <= 1 + 1e-12))
    mixed = {place: random.sample(launches, len(launches)) for place, launches in values.items()}
    assert believe(mixed, np.ones(51), 0, 50).segments == pytest.approx(belief.segments, abs=1e-9)


@given(st.integers(0, 2**31), st.integers(1, 99), st.sampled_from(["latency", "cycles"]))
@settings(max_examples=15, deadline=None)
def test_replaying_the_outcomes_asks_the_same_probes(seed: int, culprit: int, metric: str) -> None:
    ground = Ground(commits=100, steps=((culprit, 0.1),), broken=frozenset({40, 41, 60}))
    problem = Problem(candidates=ground.candidates(), metric=KNOWN_METRICS[metric])
    world = World(ground=ground, seed=seed)
    answer = find(problem, world)
    steps = search(problem)
    asked = [next(steps)]
    asked += [steps.send(outcome) for outcome in world.answered[:-1]]
    assert asked == world.asked
    with pytest.raises(StopIteration) as stop:
        steps.send(world.answered[-1])
    assert stop.value.value == answer
