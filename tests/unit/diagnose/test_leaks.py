"""Leaks by operator and over iterations: the document's table, ramps, caches and limits."""

from __future__ import annotations

import numpy as np
import pytest

from perfgate.diagnose.leaks import leak_table, leak_trend, live_at_end
from perfgate.diagnose.memory import replay
from tests.allocation_logs import MB, alloc, free, leaking_run

GB = 1000 * MB


def test_operators_that_keep_blocks_are_named_with_their_bytes() -> None:
    rows = leak_table(replay(leaking_run()))
    assert [(row.op, row.allocations, row.frees, row.bytes // MB) for row in rows] == [
        ("Attention", 450, 445, 320),
        ("Conv2D", 2340, 2338, 156),
        ("BatchNorm", 890, 890, 0),
        ("Embedding", 120, 120, 0),
        ("MatMul", 1250, 1250, 0),
    ]
    # 320 / 5 and 156 / 2
    assert [(row.blocks, row.bytes_per_block / MB) for row in rows if row.blocks] == [(5, 64), (2, 78)]


def test_a_leak_names_its_places_in_the_model_and_how_often_it_happens() -> None:
    attention = leak_table(replay(leaking_run()))[0]
    # blocks 445 to 449: three odd numbers, two even
    assert attention.scopes == (("model.attention.1", 3 * 64 * MB), ("model.attention.0", 2 * 64 * MB))
    assert attention.iterations == 5


def test_live_bytes_are_read_at_the_end_of_each_iteration() -> None:
    events = []
    for number in range(4):
        events += [
            alloc(10 * number, "activation", 50, iteration=number),
            alloc(10 * number + 1, f"kept{number}", 7, iteration=number),
            free(10 * number + 2, "activation"),  # a log whose frees know no iteration
        ]
    assert live_at_end(replay(events)) == (7, 14, 21, 28)


def test_a_ramp_is_a_finding_with_its_time_to_the_limit() -> None:
    noise = np.random.default_rng(69).normal(0, 0.02, 24)
    series = (4.2 - 0.5 * 23 / 2 + 0.5 * np.arange(24) / 2 + noise) * GB  # every half hour, 0.5 GB/h
    found = leak_trend(series.tolist(), 8 * GB)
    assert found is not None
    assert found.is_growing
    assert found.to_limit is not None
    # (8 - 4.2) / 0.5 = 7.6 h; the document's own 4 h and 6 h do not follow from its numbers
    assert found.to_limit.expected / 2 == pytest.approx(7.6, rel=0.02)
    assert found.to_limit.earliest < found.to_limit.expected < found.to_limit.latest


def test_an_exact_leak_of_one_block_each_iteration_is_a_finding() -> None:
    found = leak_trend([1000 + 78 * number for number in range(20)], 1000 + 78 * 29)
    assert found is not None
    assert found.to_limit is not None
    assert found.to_limit.expected == pytest.approx(10)  # iterations 20 to 29


@pytest.mark.parametrize(
    "series",
    [
        [min(78 * number, 780) for number in range(40)],  # a cache that fills
        [100 + 40 * (number % 5) for number in range(40)],  # collected every fifth iteration
        [100] * 40,
        [100 - number for number in range(40)],
    ],
)
def test_a_plateau_is_no_finding(series: list[float]) -> None:
    found = leak_trend(series, 1e9)
    assert found is not None
    assert not found.is_growing
    assert found.to_limit is None


def test_a_cache_that_fills_ever_slower_is_far_from_steady() -> None:
    """Without noise its last steps still rise; only how little they do tells it from a leak."""
    filling = leak_trend((4000 * (1 - np.exp(-np.arange(40) / 5))).tolist(), 1e9)
    leaking = leak_trend([78.0 * number for number in range(40)], 1e9)
    assert filling is not None
    assert leaking is not None
    assert filling.steadiness < 0.1
    assert leaking.steadiness == pytest.approx(1)


def test_beyond_the_limit_no_time_is_left() -> None:
    found = leak_trend([float(number) for number in range(20)], 10)
    assert found is not None
    assert found.to_limit is not None
    assert found.to_limit.expected == 0


def test_a_few_iterations_say_nothing() -> None:
    assert leak_trend([1, 2, 3, 4, 5], 10) is None
