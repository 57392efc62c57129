"""Freeing tensors early: the peak is replayed, never estimated."""

from __future__ import annotations

import random

import pytest

from perfgate.diagnose.lifetimes import Reuse, early_frees, reuse_class
from perfgate.diagnose.memory import replay
from tests.allocation_logs import MB, alloc, free

# Row A73 in ms and MB: four tensors are live from 20 to 30; Conv_Out is read last at 20 and kept until 40.
STEP = [
    alloc(0, "Input", 20 * MB),
    alloc(0, "Conv_W", 30 * MB),
    alloc(10, "Conv_Out", 15 * MB),
    free(20, "Input"),
    alloc(20, "ReLU_Out", 25 * MB),
    alloc(22, "Pool_Out", 30 * MB),
    free(30, "ReLU_Out"),
    alloc(35, "Loss", 5 * MB),
    free(40, "Conv_Out"),
    free(50, "Conv_W"),
]
USES = {"Input": 20, "Conv_W": 50, "Conv_Out": 20, "ReLU_Out": 30}


def test_a_tensor_that_outlives_its_reader_is_named_with_what_it_costs() -> None:
    found = early_frees(replay(STEP), USES)
    # peak at 22: 30 + 15 + 25 + 30 = 100 MB; without Conv_Out 85
    assert found.peak == 100 * MB
    assert [(item.block.taken.block, item.at, item.peak) for item in found.each] == [
        ("Conv_Out", 20, 85 * MB)
    ]
    assert found.together == 85 * MB
    assert found.saved == pytest.approx(0.15)


def test_another_moment_may_become_the_peak() -> None:
    log = [alloc(0, "a", 50), free(3, "a"), alloc(4, "b", 30), alloc(5, "c", 30), free(9, "b"), free(9, "c")]
    found = early_frees(replay(log), {"b": 4})
    assert (found.peak, found.together) == (60, 50)


def test_freeing_both_of_two_equal_peaks_helps_where_one_alone_does_not() -> None:
    log = [
        alloc(0, "a", 10), alloc(1, "b", 10), free(4, "a"), free(4, "b"),
        alloc(5, "c", 10), alloc(6, "d", 10), free(9, "c"), free(9, "d"),
    ]  # fmt: skip
    found = early_frees(replay(log), {"a": 0, "c": 5})
    assert found.each == ()
    assert found.together == 10


@pytest.mark.parametrize(
    "uses",
    [
        {},
        {"Conv_Out": 40},  # given back in time
        {"Conv_Out": 60},  # a reader that is known to end later than the block
        {"Conv_Out": 5},  # before it was taken: another block's
    ],
)
def test_without_a_late_free_there_is_nothing_to_gain(uses: dict[str, int]) -> None:
    found = early_frees(replay(STEP), uses)
    assert (found.each, found.together, found.saved) == ((), 100 * MB, 0.0)


def test_a_name_that_is_used_again_has_no_single_last_use() -> None:
    log = [alloc(0, "a", 4), free(9, "a"), alloc(10, "a", 4), free(19, "a")]
    assert early_frees(replay(log), {"a": 1}).together == 4


def test_an_empty_log_saves_nothing() -> None:
    found = early_frees(replay([]), {})
    assert (found.peak, found.saved) == (0, 0.0)


def test_the_answer_is_that_of_a_replay_with_the_events_moved() -> None:
    draw = random.Random(73)  # noqa: S311 - cases of a test
    for _ in range(100):
        lives = [sorted(draw.sample(range(number, 480, 12), 3)) for number in range(12)]  # no two at once
        sizes = [draw.randrange(1, 9) for _ in lives]

        def peak(early: set[int], lives: list[list[int]] = lives, sizes: list[int] = sizes) -> int:
            events = [alloc(start, str(number), sizes[number]) for number, (start, _, _) in enumerate(lives)]
            events += [free(life[1 if i in early else 2], str(i)) for i, life in enumerate(lives)]
            found = replay(events).peak
            assert found is not None
            return found.size

        uses = {str(number): use for number, (_, use, _) in enumerate(lives)}
        events = [alloc(start, str(i), sizes[i]) for i, (start, _, _) in enumerate(lives)]
        found = early_frees(
            replay([*events, *(free(end, str(i)) for i, (_, _, end) in enumerate(lives))]), uses
        )
        assert found.peak == peak(set())
        assert found.together == peak(set(range(12)))
        better = {item.block.taken.block: item.peak for item in found.each}
        for number in range(12):
            assert better.get(str(number), found.peak) == peak({number})


# Row A74 on a device whose last cache holds 8 MB.
@pytest.mark.parametrize(
    ("size", "reads", "expected"),
    [
        (23 * MB, 128, Reuse.RESIDENT),
        (45 * MB, 2, Reuse.FREE_SOON),
        (2 * MB, 64, Reuse.CACHED),
        (89 * MB, 1, Reuse.TEMPORARY),
    ],
)
def test_tensors_fall_into_four_classes_of_reuse(size: int, reads: int, expected: Reuse) -> None:
    assert reuse_class(size, reads, 8 * MB) is expected
