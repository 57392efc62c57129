"""What a kernel waits for on its stream, at fences and in the graph alone."""

from __future__ import annotations

from perfgate.npu.stream_plan import assign_streams, longest_path, stream_waits


def test_an_event_is_paid_between_streams_only() -> None:
    waits = stream_waits([(), (0,), (0,)], [0, 0, 1], [False] * 3, 7)
    assert waits == [(), ((0, 0),), ((0, 7),)]


def test_a_fence_waits_for_all_streams_and_later_work_for_the_fence() -> None:
    waits = stream_waits([(), (), (), ()], [0, 1, 0, 1], [False, False, True, False], 7)
    assert dict(waits[2]) == {0: 0, 1: 0}
    assert dict(waits[3]) == {2: 0}


def test_independent_kernels_go_to_the_stream_with_the_least_work() -> None:
    assert assign_streams([(), (), ()], [10, 3, 3], 2) == [0, 1, 1]


def test_the_longest_path_is_the_costliest_chain() -> None:
    # 0 (2) -> 1 (5) -> 3 (1) is 8; 0 (2) -> 2 (3) -> 3 (1) is 6.
    assert longest_path([(), (0,), (0,), (1, 2)], [2, 5, 3, 1]) == 8
    assert longest_path([], []) == 0
