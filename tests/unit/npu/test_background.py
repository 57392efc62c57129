"""Waits for other work on the device, by priority."""

from __future__ import annotations

import pytest

from perfgate.compiler.runtime import Background, RuntimeConfig, StreamPriority
from perfgate.npu.background import background_wait

HIGH, NORMAL, LOW = StreamPriority.HIGH, StreamPriority.NORMAL, StreamPriority.LOW


def wait(own: StreamPriority, theirs: StreamPriority, load: float = 0.5) -> int:
    other = Background(load=load, priority=theirs, kernel_us=100)
    return background_wait(RuntimeConfig(stream_priority=own, background=other))


def test_without_other_work_a_priority_changes_nothing() -> None:
    assert background_wait(RuntimeConfig(stream_priority=HIGH)) == 0


def test_a_higher_priority_waits_for_half_a_kernel_in_the_share_of_time_one_runs() -> None:
    assert wait(HIGH, NORMAL) == 25_000_000  # 0.5 * 100 us / 2


def test_an_equal_priority_waits_for_the_queue_and_a_lower_one_for_what_comes_later_too() -> None:
    assert wait(NORMAL, NORMAL) == 50_000_000  # 25 us / (1 - 0.5)
    assert wait(LOW, NORMAL) == 100_000_000  # 25 us / (1 - 0.5)^2


@pytest.mark.parametrize("own", [HIGH, NORMAL, LOW])
def test_more_load_means_more_waiting(own: StreamPriority) -> None:
    waits = [wait(own, NORMAL, load) for load in (0.0, 0.2, 0.5, 0.9)]
    assert waits[0] == 0
    assert waits == sorted(set(waits))
