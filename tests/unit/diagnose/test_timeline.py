"""Spans drawn by hand; lengths are whole units."""

from __future__ import annotations

import pytest

from perfgate.diagnose.timeline import covered, overlap, step_kernels, uncovered
from tests.hand_profiles import kernel, profile


@pytest.mark.parametrize(
    ("spans", "length"),
    [([], 0), ([(0, 3)], 3), ([(0, 3), (2, 5)], 5), ([(0, 9), (2, 5), (4, 6)], 9), ([(5, 7), (0, 3)], 5)],
)
def test_covered_length_counts_each_moment_once(spans: list[tuple[int, int]], length: int) -> None:
    assert covered(spans) == length


def test_overlap_is_time_with_two_engines_or_more_at_work() -> None:
    """Matrix 0-10, vector 6-9 and 8-12, link 9-11: two or three work from 6 to 11."""
    rows = (
        kernel(1, 10, engine="matrix"),
        kernel(2, 3, engine="vector", start_ps=6),
        kernel(3, 4, engine="vector", start_ps=8),
        kernel(4, 2, engine="h2d", start_ps=9),
    )
    assert overlap(profile(12, kernels=rows)) == 5


def test_one_engine_alone_overlaps_with_nothing() -> None:
    assert overlap(profile(9, kernels=(kernel(1, 9), kernel(2, 5, start_ps=2)))) == 0


def test_the_uncovered_part_of_a_copy_is_what_nobody_works_in() -> None:
    copy = kernel(1, 10, start_ps=5)
    assert (
        uncovered(copy, (kernel(2, 3, start_ps=4), kernel(3, 2, start_ps=9), kernel(4, 9, start_ps=20))) == 6
    )
    assert uncovered(copy, ()) == 10


def test_other_programs_and_the_row_of_the_rest_have_no_place_on_the_line() -> None:
    rows = (kernel(1, 1), kernel(2, 1, program=1), kernel(3, 1, index=-1))
    assert [row.owner for row in step_kernels(profile(1, kernels=rows))] == [1]
