from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.actions import GIVE_UP, Prices, batches, best_action, left_to_learn
from perfgate.bisection.belief import Belief, believe
from perfgate.bisection.information import information

PRICES = Prices(build=20.0, launch=1.0, sample=1.0)


def belief_of(inner: dict[int, float], *, noise: float = 0.03) -> Belief:
    random = np.random.default_rng(2)
    levels = {0: 0.0, 1000: 0.05} | inner
    values = {place: [level + noise * random.standard_normal(20)] for place, level in levels.items()}
    return believe(values, np.ones(1001), 0, 1000)


def test_batches_grow_where_a_sample_says_little() -> None:
    assert batches(5.0).tolist() == [3, 5, 8, 12, 18, 26]
    # .3 / .25^2 = 4.8, rounded 5
    assert batches(0.25).tolist() == [15, 25, 40, 60, 90, 130]


def test_the_first_look_is_at_the_middle() -> None:
    action = best_action(belief_of({}), {500: 0.95}, set(), PRICES)
    assert action is not None
    assert action.position == 500


def test_nothing_to_do_is_no_action() -> None:
    assert best_action(belief_of({}), {}, set(), PRICES) is None


def test_a_doubtful_commit_is_launched_again_before_a_costly_build() -> None:
    belief = belief_of({500: 0.025})
    costly = Prices(build=10_000.0, launch=1.0, sample=1.0)
    action = best_action(belief, {250: 0.95}, set(), costly)
    assert action is not None
    assert action.position == 500


def test_a_commit_that_is_built_costs_only_its_launch() -> None:
    belief = belief_of({})
    new = best_action(belief, {500: 0.95}, set(), PRICES)
    built = best_action(belief, {500: 0.95}, {500}, PRICES)
    assert new is not None
    assert built is not None
    assert built.rate > new.rate


def test_rate_by_hand() -> None:
    belief = belief_of({})
    action = best_action(belief, {500: 0.95}, set(), PRICES)
    assert action is not None
    variance = 1.07 * belief.readings.spread**2 / action.samples + belief.launch_variance
    variance += belief.build_variance
    bits = 0.95 * information(0.5, belief.step / variance**0.5)
    assert action.rate == pytest.approx(float(bits) / (20 + 1 + action.samples), rel=1e-6)


def test_without_a_build_effect_everything_can_be_learnt() -> None:
    assert left_to_learn(belief_of({500: 0.025}, noise=0.002)) > 0


def test_bits_are_counted_by_a_twentieth_of_a_costly_build() -> None:
    # a build of ten minutes for samples of a millisecond must not look like a search not worth its cost
    cheap = best_action(belief_of({}), {500: 0.95}, set(), PRICES)
    costly = best_action(belief_of({}), {500: 0.95}, set(), Prices(build=600.0, launch=0.5, sample=0.001))
    assert cheap is not None
    assert costly is not None
    assert costly.rate > GIVE_UP
    assert costly.rate == pytest.approx(cheap.rate, rel=1.0)


def test_a_commit_that_hardly_builds_says_less_for_its_cost() -> None:
    likely = best_action(belief_of({}), {500: 0.95}, set(), PRICES)
    unlikely = best_action(belief_of({}), {500: 0.19}, set(), PRICES)
    assert likely is not None
    assert unlikely is not None
    assert unlikely.rate == pytest.approx(likely.rate / 5)
