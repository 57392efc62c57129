"""Streams: waits, fences, slack and causes of gaps on drawings of a few kernels."""

from __future__ import annotations

import numpy as np

from perfgate.npu.columns import H2D, MATRIX, VECTOR
from perfgate.npu.list_schedule import Sharing
from perfgate.npu.schedule import GapCause, Schedule, Work, schedule_one_stream, schedule_streams


def work(
    kinds: list[int],
    durations: list[int],
    dependencies: list[tuple[int, ...]],
    *,
    lead: list[int] | None = None,
    fence: list[bool] | None = None,
) -> Work:
    count = len(kinds)
    return Work(
        kind=np.array(kinds),
        duration=np.array(durations),
        memory=np.zeros(count, dtype=np.int64),
        lead=np.array(lead or [0] * count),
        fence=fence or [False] * count,
        dependencies=dependencies,
    )


def run(given: Work, streams: int, event_ps: int = 0) -> Schedule:
    return schedule_streams(given, streams, event_ps, Sharing.NONE)


def test_one_stream_runs_kernels_one_after_another() -> None:
    schedule = schedule_one_stream(work([MATRIX, VECTOR, MATRIX], [5, 3, 2], [(), (), ()], lead=[0, 4, 0]))
    assert schedule.start.tolist() == [0, 9, 12]
    assert schedule.makespan == 14
    assert schedule.wait.tolist() == [0, 4, 0]
    assert schedule.critical == (0, 1, 2)
    assert [(gap.start, gap.length, gap.cause) for gap in schedule.gaps] == [(5, 4, GapCause.FENCE)]


def test_branches_on_two_streams_overlap_and_the_short_one_has_slack() -> None:
    #  stream 0: matrix 0-10 | join 11-12      join waits for both and pays the event of the other stream
    #  stream 1: vector 0-4                    slack: 11 - 1 - 4
    schedule = run(work([MATRIX, VECTOR, MATRIX], [10, 4, 1], [(), (), (0, 1)]), 2, event_ps=1)
    assert schedule.start.tolist() == [0, 0, 10]
    assert schedule.stream.tolist() == [0, 1, 0]
    assert schedule.slack.tolist() == [0, 5, 0]
    assert schedule.critical == (0, 2)


def test_the_longest_path_keeps_the_stream_of_its_producer() -> None:
    # Kernel 0 has two consumers; 2 starts the longer way (2, 3), so it stays on stream 0.
    given = work([MATRIX, VECTOR, MATRIX, MATRIX], [1, 1, 5, 5], [(), (0,), (0,), (2,)])
    assert run(given, 2).stream.tolist() == [0, 1, 0, 0]


def test_two_kernels_never_share_an_engine() -> None:
    schedule = run(work([MATRIX, MATRIX], [10, 4], [(), ()]), 2)
    assert schedule.start.tolist() == [0, 10]
    assert schedule.gaps[0].cause is GapCause.ENGINE
    assert schedule.slack.tolist() == [0, 0]


def test_a_blocking_copy_drains_all_streams() -> None:
    #  stream 0: matrix 0-10 |       | matrix after the copy
    #  stream 1:             h2d 10-13
    kinds = [MATRIX, H2D, VECTOR]
    free = run(work(kinds, [10, 3, 2], [(), (), ()]), 2)
    blocking = run(work(kinds, [10, 3, 2], [(), (), ()], fence=[False, True, False]), 2)
    assert free.start.tolist() == [0, 0, 3]
    assert blocking.start.tolist() == [0, 10, 13]


def test_a_stream_that_waits_for_another_ones_kernel_has_a_gap_with_its_cause() -> None:
    #  stream 0: 0: 0-10 | 2: 10-15
    #  stream 1: 1: 0-2  | gap 2-11: producer 0 and an event of 1 | 3: 11-12
    schedule = run(work([MATRIX, VECTOR, MATRIX, VECTOR], [10, 2, 5, 1], [(), (), (0,), (0,)]), 2, event_ps=1)
    gap = schedule.gaps[0]
    assert (gap.stream, gap.start, gap.length, gap.kernel) == (1, 2, 9, 3)
    assert gap.cause is GapCause.PRODUCER
