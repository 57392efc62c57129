"""Lanes: whole nanoseconds whose sums are exact, without overlaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfgate.report.export.chrome_lane import ChromeLane
from perfgate.report.export.lane import Lane, nanoseconds

PICOSECONDS = st.integers(0, 10**12)


def test_a_half_nanosecond_rounds_up() -> None:
    assert [nanoseconds(value) for value in (0, 499, 500, 1499, 1500)] == [0, 0, 1, 1, 2]


@given(spans=st.lists(st.tuples(PICOSECONDS, PICOSECONDS), max_size=50))
def test_spans_do_not_overlap_lie_within_a_nanosecond_and_sum_exactly(spans: list[tuple[int, int]]) -> None:
    lane, now, busy = Lane(), 0, 0
    placed = []
    for gap, duration in spans:
        item = lane.place(now + gap, duration)
        assert abs(item.start * 1000 - (now + gap)) <= 1000
        assert item.idle_ps == gap
        now, busy = now + gap + duration, busy + duration
        placed.append(item)
    ends = [0, *(item.end for item in placed)]
    assert [item.free for item in placed] == ends[: len(placed)]
    assert all(end <= item.start <= item.end for end, item in zip(ends, placed, strict=False))
    assert sum(item.end - item.start for item in placed) == nanoseconds(busy)


def test_a_span_that_begins_inside_the_one_before_begins_at_its_end() -> None:
    lane = Lane()
    lane.place(0, 10_000)
    assert lane.place(4_000, 2_000)[1:3] == (10, 12)


@given(spans=st.lists(st.tuples(st.sampled_from((0, 0, 1, 1234)), PICOSECONDS), max_size=50))
def test_spans_do_not_overlap_for_readers_with_doubles(spans: list[tuple[int, int]]) -> None:
    exact, lane, now, end = Lane(), ChromeLane(), 0, 0.0
    for gap, duration in spans:
        span, truth = lane.place(now + gap, duration), exact.place(now + gap, duration)
        assert span.ts >= end
        # A reader in whole nanoseconds drops what lies below them: the same times either way.
        assert int(span.ts * 1000 + 1e-3) == truth.start
        assert round(span.dur * 1000) == truth.end - truth.start
        assert span.ts <= span.last <= max(span.ts, span.ts + span.dur)
        now, end = now + gap + duration, span.ts + span.dur


def test_a_sum_that_rounds_up_as_doubles_does_not_swallow_the_next_span() -> None:
    # 65654.437 + 65654.436 > 131308.873 as doubles, found in a real trace of 28 equal steps.
    assert 65654.437 + 65654.436 > 131308.873
    lane = ChromeLane()
    first, second, third = (lane.place(step * 65_654_436_583, 65_654_436_583) for step in range(3))
    assert (first.dur, second.dur) == (65654.437, 65654.436)
    assert second.ts + second.dur <= third.ts < 131308.8731
