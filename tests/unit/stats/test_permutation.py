from __future__ import annotations

import numpy as np
import pytest

from perfgate.stats.permutation import is_possible, labelings, max_t


def test_five_against_three_has_56_labelings() -> None:
    assert labelings(5, 3) == 56
    assert is_possible(5, 3)
    assert is_possible(3, 3)  # 20 labelings
    assert not is_possible(8, 2)


def test_a_clear_change_reaches_the_least_p() -> None:
    random = np.random.default_rng(81)
    before, after = random.normal(0, 0.01, (50, 5)), random.normal(0, 0.01, (50, 3))
    after[7] += 0.5
    p = max_t(before, after)
    assert p[7] == pytest.approx(1 / 56)
    assert np.delete(p, 7).min() > 1 / 56


def test_the_error_over_the_suite_holds_under_strong_dependence() -> None:
    random = np.random.default_rng(82)
    hits = 0
    for _ in range(400):
        shared = random.standard_t(3, (1, 8))
        table = shared + 0.3 * random.standard_t(3, (30, 8))
        hits += max_t(table[:, :5], table[:, 5:]).min() <= 0.05
    # exact by symmetry: 2 of 56 labelings reach .0357; three errors of 400 trials above it
    assert hits / 400 <= 0.0357 + 3 * np.sqrt(0.0357 * 0.9643 / 400)


def test_many_labelings_are_drawn_and_depend_on_the_seed_alone() -> None:
    random = np.random.default_rng(83)
    before, after = random.normal(size=(10, 9)), random.normal(size=(10, 9))
    assert max_t(before, after, seed=1).tolist() == max_t(before, after, seed=1).tolist()
    assert max_t(before, after, seed=1).min() >= 1 / 5000


def test_too_few_runs_raise() -> None:
    with pytest.raises(ValueError, match="three runs"):
        max_t(np.zeros((3, 5)), np.zeros((3, 2)))
