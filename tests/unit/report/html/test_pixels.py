"""Merged bars: few, and never without the worst one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfgate.report.html.pixels import MERGED_STEPS, PIXELS, STEP, Bar, detail_steps, merge_bars


def lane(lengths: list[float]) -> list[Bar]:
    bars, left = [], 0.0
    for row, length in enumerate(lengths):
        bars.append(Bar(left, left + length, row))
        left += length
    return bars


def test_a_bar_of_a_pixel_or_more_stays_as_it_is() -> None:
    bars = lane([3.0, 1.0, 2.0])
    assert merge_bars(bars, [0.0] * 3, 1.0) == bars


def test_narrow_bars_of_one_pixel_become_one_that_is_a_pixel_wide_and_stands_for_the_worst() -> None:
    bars = lane([0.25] * 8)  # two pixels
    worse_by = [0.0, 0.0, 0.5, 0.0, 0.0, 0.9, 0.1, 0.0]
    assert merge_bars(bars, worse_by, 1.0) == [Bar(0.0, 1.0, 2), Bar(1.0, 2.0, 5)]


def test_of_equally_bad_bars_the_first_speaks() -> None:
    assert merge_bars(lane([0.5, 0.5]), [0.3, 0.3], 1.0) == [Bar(0.0, 1.0, 0)]


def test_a_lane_of_wide_bars_has_one_step_of_detail() -> None:
    (only,) = detail_steps([lane([10.0, 20.0])], [0.0, 0.0], 30.0)
    assert (only.least, only.most) == (0.0, float("inf"))


def test_steps_of_detail_meet_without_gap_and_the_last_has_everything_with_the_worst_on_top() -> None:
    lengths = [0.001] * 500 + [10.0]
    worse_by = [0.0] * 500 + [0.0]
    worse_by[137] = 2.0
    steps = detail_steps([lane(lengths)], worse_by, 10.5)
    assert len(steps) == 1 + MERGED_STEPS
    assert steps[0].most == float("inf")
    assert [step.least for step in steps[:-1]] == [step.most for step in steps[1:]]
    assert steps[-1].least == 0.0
    assert len(steps[-1].bars) == 501
    assert steps[-1].bars[-1].row == 137
    assert [step.narrow for step in steps[:2]] == [10.5 / PIXELS, 10.5 / PIXELS / STEP]


@given(
    st.lists(st.floats(0.001, 3.0), min_size=1, max_size=60),
    st.data(),
    st.floats(0.05, 5.0),
)
def test_the_worst_bar_is_always_drawn_and_nothing_is_narrower_than_a_pixel(
    lengths: list[float], data: st.DataObject, pixel: float
) -> None:
    worse_by = data.draw(st.lists(st.floats(-1, 10), min_size=len(lengths), max_size=len(lengths)))
    merged = merge_bars(lane(lengths), worse_by, pixel)
    worst = worse_by.index(max(worse_by))
    drawn = {bar.row for bar in merged}
    assert worst in drawn or any(worse_by[row] == worse_by[worst] for row in drawn)
    assert all(bar.right - bar.left >= pixel * 0.999 for bar in merged)
    assert len(merged) <= sum(lengths) / pixel + len([one for one in lengths if one >= pixel]) + 1
