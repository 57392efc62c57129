"""Replaying allocation logs: peak, mean and live set by hand."""

from __future__ import annotations

import random

import pytest

from perfgate.diagnose.memory import AllocationEvent, replay
from tests.allocation_logs import MB, alloc, free, training_step


def test_the_peak_is_recomputed_from_the_log() -> None:
    played = replay(training_step())
    # 2.1 + 1.8 + 2.3 - 2.1 + 3.2 = 7.3 GB, while the document's own text says 7.2
    assert played.peak is not None
    assert (played.peak.time, played.peak.size) == (30, 7300 * MB)
    assert [block.taken.tensor for block in played.peak.live] == ["gradients", "activations", "weights"]
    assert played.peak.reached_by.taken.tensor == "gradients"


def test_the_owner_of_the_peak_holds_the_most_bytes_of_it() -> None:
    peak = replay(training_step()).peak
    assert peak is not None
    # Conv holds 2.3 + 1.8 = 4.1 GB, the gradients 3.2; its larger block stands for it
    assert peak.owner.taken.tensor == "activations"


def test_what_is_never_given_back_is_reported() -> None:
    played = replay(training_step())
    assert [(block.taken.block, block.size) for block in played.never_freed] == [("A2", 1800 * MB)]


def test_the_mean_weighs_by_time() -> None:
    # GB x ms: 2.1x10 + 3.9x2 + 6.2x13 + 4.1x5 + 7.3x15 + 5.0x5 = 264.4 in 50 ms
    assert replay(training_step()).mean == pytest.approx(264.4 / 50 * 1000 * MB)


def test_events_of_one_moment_keep_the_order_of_the_log() -> None:
    """A coarse clock must not hide a buffer that lives within one tick."""
    played = replay([alloc(5, "a", 10), alloc(5, "b", 30), free(5, "b"), alloc(5, "c", 5), free(6, "a")])
    assert played.peak is not None
    assert (played.peak.size, [block.taken.block for block in played.peak.live]) == (40, ["b", "a"])
    assert played.curve == ((5, 10), (5, 40), (5, 10), (5, 15), (6, 5))


def test_a_log_that_begins_in_the_middle_says_so() -> None:
    played = replay([free(0, "old"), alloc(1, "a", 4), free(2, "a")])
    assert (played.unknown_frees, played.lost_frees) == (1, 0)
    assert played.curve == ((0, 0), (1, 4), (2, 0))


def test_a_block_that_is_taken_twice_was_given_back_between() -> None:
    played = replay([alloc(0, "a", 4), alloc(3, "a", 6)])
    assert (played.lost_frees, played.curve) == (1, ((0, 4), (3, 6)))
    assert [(block.start, block.end) for block in played.blocks] == [(0, 3), (3, None)]


def test_an_empty_log_has_no_peak() -> None:
    played = replay([])
    assert (played.peak, played.mean, played.duration) == (None, 0.0, 0)


@pytest.mark.parametrize(
    "event",
    [
        AllocationEvent(time=0, kind="alloc", block="a", size=-1),
        AllocationEvent(time=0, kind="realloc", block="a", size=1),
    ],
)
def test_what_is_no_event_is_refused(event: AllocationEvent) -> None:
    with pytest.raises(ValueError, match="no event"):
        replay([event])


def test_the_live_set_adds_up_to_the_peak_of_any_log() -> None:
    draw = random.Random(60)  # noqa: S311 - cases of a test
    for _ in range(200):
        events = []
        for number in range(draw.randrange(1, 30)):
            start = draw.randrange(20)
            events.append(alloc(start, str(number), draw.randrange(1, 9)))
            if draw.random() < 0.8:
                events.append(free(start + draw.randrange(1, 9), str(number)))
        played = replay(events)
        assert played.peak is not None
        assert sum(block.size for block in played.peak.live) == played.peak.size
        assert played.peak.size == max(size for _, size in played.curve)
        assert played.curve[-1][1] == sum(block.size for block in played.never_freed)
