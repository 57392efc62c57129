"""Lanes: where each kernel ran, on both sides."""

from __future__ import annotations

import msgspec

from perfgate.core.execution_profile import StepRow
from perfgate.report.html.lanes import (
    largest_gap,
    lay_out,
    longest_step,
    neighbours,
    step_offsets,
    sync_edges,
)
from tests.page_profiles import US, in_a_row, kernel, large, material, operator, profile_of

BEFORE = in_a_row({"a": 10, "b": 20})
AFTER = in_a_row({"a": 10, "b": 30})


def test_lanes_of_before_stand_above_those_of_after_and_go_by_stream_and_engine() -> None:
    lanes = lay_out(material(large(30, 2), large(30, 2)))
    texts = [lane.text for lane in lanes.lanes]
    assert texts[0].startswith("before  stream 0  matrix")
    assert texts == sorted(texts, key=lambda text: text.startswith("after"))
    after = [(lane.stream, lane.engine) for lane in lanes.lanes if lane.is_after]
    assert after[:3] == [(0, "matrix"), (0, "vector"), (0, "dma")]


def test_every_kernel_is_a_span_of_its_own_side_and_operator() -> None:
    lanes = lay_out(material(BEFORE, AFTER))
    found = [
        (lanes.lanes[span.lane].is_after, span.operator, span.start_ps, span.end_ps) for span in lanes.spans
    ]
    assert found == [
        (False, 0, 0, 10 * US),
        (False, 1, 10 * US, 30 * US),
        (True, 0, 0, 10 * US),
        (True, 1, 10 * US, 40 * US),
    ]
    assert lanes.length_ps == 40 * US


def test_programs_lie_one_after_the_other() -> None:
    steps = (
        StepRow(program="first", times=20, makespan_ps=7),
        StepRow(program="second", times=8, makespan_ps=5),
    )
    profile = msgspec.structs.replace(
        AFTER, application=msgspec.structs.replace(AFTER.application, steps=steps)
    )
    assert step_offsets(profile) == [0, 7]
    assert longest_step(material(None, profile)) == 12


def test_the_row_of_unlisted_kernels_is_counted_and_not_drawn() -> None:
    rest = msgspec.structs.replace(AFTER.kernels[0], index=-1, name="rest", variant="4800 kernels", owner=-1)
    profile = msgspec.structs.replace(AFTER, kernels=(*AFTER.kernels, rest))
    lanes = lay_out(material(None, profile))
    assert len(lanes.spans) == 2
    assert lanes.unlisted == (("after", "4800 kernels"),)


def test_a_wait_of_one_stream_for_another_is_an_edge_and_one_on_the_same_stream_is_none() -> None:
    rows = [operator(0, "a", 10 * US), operator(1, "b", 30 * US), operator(2, "c", 5 * US)]
    kernels = [
        kernel(rows[0], 0),
        kernel(rows[1], 0, stream=1),
        kernel(rows[2], 30 * US, after=(0, 1)),
    ]
    lanes = lay_out(material(None, profile_of(rows, kernels)))
    names = [
        (lanes.spans[a].kernel.name, lanes.spans[b].kernel.name)
        for a, b in sync_edges(lanes.spans, lanes.lanes)
    ]
    assert names == [("b", "c")]


def test_the_largest_gap_is_the_longest_wait_of_a_stream_now() -> None:
    lanes = lay_out(material(large(30, 2), large(30, 2)))
    longest = max(lanes.waits, key=lambda wait: wait.end_ps - wait.start_ps)
    start, end = largest_gap(lanes) or (0, 0)
    assert end - start == longest.end_ps - longest.start_ps > 0


def test_without_a_wait_it_is_the_longest_time_in_which_nothing_computes() -> None:
    rows = [operator(0, "a", 10 * US), operator(1, "copy", 50 * US), operator(2, "c", 5 * US)]
    kernels = [kernel(rows[0], 0), kernel(rows[1], 10 * US, engine="host"), kernel(rows[2], 60 * US)]
    assert largest_gap(lay_out(material(None, profile_of(rows, kernels)))) == (10 * US, 60 * US)
    assert largest_gap(lay_out(material(None, in_a_row({"a": 1, "b": 1})))) is None


def test_arrow_keys_stay_on_the_lane_or_go_to_the_nearest_span_of_the_next() -> None:
    lanes = lay_out(material(BEFORE, AFTER))
    upper, lower, left, right = neighbours(lanes)
    assert (left, right) == ([-1, 0, -1, 2], [1, -1, 3, -1])
    assert (upper, lower) == ([-1, -1, 0, 1], [2, 3, -1, -1])
