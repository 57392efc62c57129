from __future__ import annotations

import numpy as np
import pytest

from perfgate.bisection.information import entropy, information


def test_an_observation_that_cannot_tell_says_nothing() -> None:
    assert information(0.5, 0.0) == pytest.approx(0.0, abs=1e-9)


def test_worked_example_of_the_design() -> None:
    assert information(0.5, 1.63) == pytest.approx(0.36, abs=0.005)  # BISECTION section 3, example 2


def test_labels_can_change_places() -> None:
    chances = np.array([0.01, 0.2, 0.4])
    assert information(chances, 1.3) == pytest.approx(information(1 - chances, 1.3))


def test_distant_levels_say_the_whole_label() -> None:
    assert information(0.5, 12.0) == pytest.approx(1.0, abs=1e-4)
    assert information(0.1, 12.0) == pytest.approx(entropy(0.1), abs=1e-4)


def test_entropy_by_hand() -> None:
    # -.25 log2 .25 - .75 log2 .75 = .5 + .3113
    assert entropy([0.0, 0.25, 0.5, 1.0]) == pytest.approx([0.0, 0.8113, 1.0, 0.0], abs=1e-4)


def test_table_agrees_with_simulation() -> None:
    random = np.random.default_rng(1)
    chance, distance = 0.3, 0.8
    is_bad = random.random(400_000) < chance
    seen = random.standard_normal(400_000) + distance * is_bad
    odds = chance / (1 - chance) * np.exp(distance * seen - distance**2 / 2)
    left = entropy(odds / (1 + odds)).mean()
    # the error of the mean of a quantity below one bit is under .5 / sqrt(400,000) = .0008
    assert information(chance, distance) == pytest.approx(entropy(chance) - left, abs=0.0025)
