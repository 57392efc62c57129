"""List scheduling: small drawings of a few spans each."""

from __future__ import annotations

import pytest

from perfgate.npu.list_schedule import Sharing, Task, fair_shares, list_schedule


def test_ready_tasks_of_one_engine_run_in_program_order() -> None:
    #  engine: | 0: 0-3 | 1: 3-5 |
    assert list_schedule([Task(duration=3, engine=0), Task(duration=2, engine=0)], [1]) == ([0, 3], [3, 5])


def test_two_engines_overlap() -> None:
    #  0: | 0-3 |
    #  1: | 0-2 |
    assert list_schedule([Task(duration=3, engine=0), Task(duration=2, engine=1)], [1, 1]) == ([0, 0], [3, 2])


def test_an_event_delays_the_consumer_and_a_lead_its_start() -> None:
    #  0: | 0-3 |    1 starts at 3 + 2 (event) + 4 (lead)
    tasks = [Task(duration=3, engine=0), Task(duration=1, engine=1, follows=((0, 2),), lead=4)]
    assert list_schedule(tasks, [1, 1]) == ([0, 9], [3, 10])


def test_a_later_task_that_is_ready_fills_the_gap() -> None:
    #  0: a 0-5                 1 waits for a
    #  1: c 0-2, b 5-6          2 is later in the program, but ready
    tasks = [
        Task(duration=5, engine=0),
        Task(duration=1, engine=1, follows=((0, 0),)),
        Task(duration=2, engine=1),
    ]
    assert list_schedule(tasks, [1, 1])[0] == [0, 5, 0]


def test_tasks_that_wait_for_each_other_are_refused() -> None:
    tasks = [Task(duration=1, engine=0, follows=((1, 0),)), Task(duration=1, engine=0, follows=((0, 0),))]
    with pytest.raises(ValueError, match="circle"):
        list_schedule(tasks, [1])


@pytest.mark.parametrize(
    ("demands", "rates"),
    [
        ((0.4, 0.5), [1.0, 1.0]),  # both fit
        ((1.0, 1.0), [0.5, 0.5]),  # half each
        ((0.2, 1.0), [1.0, 0.8]),  # who asks for less than the even share is not slowed
    ],
)
def test_memory_is_shared_by_maximum_minimum_fairness(demands: tuple[float, ...], rates: list[float]) -> None:
    assert fair_shares(demands) == pytest.approx(rates)


def test_exact_sharing_is_recomputed_when_a_task_ends() -> None:
    # Both need all of the memory: half rate until 4, when the short one has done its 2; the other has 8 left.
    tasks = [Task(duration=10, engine=0, memory=10), Task(duration=2, engine=1, memory=2)]
    assert list_schedule(tasks, [1, 1], Sharing.EXACT)[1] == [12, 4]


def test_fast_sharing_keeps_the_share_of_the_start() -> None:
    # The first started alone and keeps its rate; the second found half of the memory and keeps that.
    tasks = [Task(duration=10, engine=0, memory=10), Task(duration=2, engine=1, memory=2)]
    assert list_schedule(tasks, [1, 1], Sharing.FAST)[1] == [10, 4]
