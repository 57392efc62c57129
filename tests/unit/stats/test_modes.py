"""Modes: worked figures of STATISTICS section 6, and the cut of a benchmark's runs by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perfgate.stats.modes import Modes, cut_runs, find_modes, runs_needed


def test_runs_needed_of_the_worked_examples() -> None:
    assert runs_needed(Modes(share=0.76, upper=0.327), 100, 5, alpha=0.05) == 5
    assert runs_needed(Modes(share=0.14, upper=0.2), 100, 5, alpha=0.05) == 3


def test_the_chance_behind_the_first_example() -> None:
    # STATISTICS section 6: .120 at 4, .039 at 5
    chance = [100 * 0.76 * (1 - 0.327) ** 5 * 0.327**runs for runs in (4, 5)]
    assert chance == pytest.approx([0.120, 0.039], abs=5e-4)


def test_for_improvements_the_modes_change_places() -> None:
    modes = Modes(share=0.5, upper=0.8)
    assert runs_needed(modes, 100, 5, alpha=0.05, slower=False) == runs_needed(
        Modes(share=0.5, upper=0.2), 100, 5, alpha=0.05
    )


def test_without_modes_three_runs_are_enough() -> None:
    assert runs_needed(Modes(), 100, 5, alpha=0.05) == 3


def test_cut_lies_in_the_largest_gap() -> None:
    cuts = cut_runs([[0.0, 0.11, 0.01, 0.10, 0.02]])
    # sorted 0 .01 .02 | .10 .11: gap .08, two above; squares .0002 + .00005 over 3 df
    assert cuts.gap[0] == pytest.approx(0.08)
    assert cuts.above[0] == 2
    assert cuts.within[0] == pytest.approx(math.sqrt(0.00025 / 3))


def suite(modal: int, size: int) -> np.ndarray:
    random = np.random.default_rng(75)
    table = random.normal(0, 0.001, (size, 5))
    table[:modal, 3] += 0.05
    return table


def test_three_modal_benchmarks_are_a_matter_of_the_suite() -> None:
    modes = find_modes(suite(3, 40), 0.01)
    assert modes.modal == (0, 1, 2)
    assert modes.share == pytest.approx(3 / 40)
    assert modes.upper == pytest.approx(1 / 5)


def test_one_or_two_modal_benchmarks_are_left_to_the_separation_rule() -> None:
    modes = find_modes(suite(2, 40), 0.01)
    assert modes.modal == (0, 1)
    assert modes.share == 0


def test_gaps_under_the_smallest_effect_are_no_modes() -> None:
    assert find_modes(suite(3, 40), 0.10).modal == ()
    assert find_modes(suite(3, 40), [0.10, *[0.01] * 39]).modal == (1, 2)


def test_two_runs_have_no_modes() -> None:
    assert find_modes([[0.0, 1.0]] * 10, 0.01) == Modes()


def test_uneven_run_counts_are_cut_apart() -> None:
    table = suite(4, 40)
    table[20:, 4] = np.nan
    assert find_modes(table, 0.01).modal == (0, 1, 2, 3)
