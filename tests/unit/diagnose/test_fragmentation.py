"""Fragmentation of an arena by hand, and the two measures on the document's numbers."""

from __future__ import annotations

import pytest

from perfgate.compiler import memory_report
from perfgate.diagnose.fragmentation import (
    FREE_BLOCK_STEPS,
    fragmentation,
    fragmentation_index,
    fragmentation_rate,
)

MIB, GIB = 1 << 20, 1 << 30


def test_the_index_says_how_scattered_free_bytes_are() -> None:
    # row A65: 1.2 GB in one piece and an index of .35 mean 1.2 / .65 = 1.846 GB free
    assert fragmentation_index(1.2e9, 1.2e9 / 0.65) == pytest.approx(0.35)
    assert fragmentation_index(1, 1) == 0
    assert fragmentation_index(0, 0) == 0


def test_the_rate_says_what_is_reserved_and_not_used() -> None:
    assert fragmentation_rate(8e9, 8e9 * (1 - 0.153)) == pytest.approx(0.153)  # row A66 on A60's 15.3 %
    assert fragmentation_rate(0, 0) == 0


def test_gaps_lie_between_and_behind_the_blocks() -> None:
    found = fragmentation([(60, 10), (10, 20), (30, 10)], 100)
    assert found.gaps == (10, 20, 30)  # 0-10, 40-60, 70-100
    assert (found.used, found.free, found.largest_free) == (40, 60, 30)
    assert found.index == 0.5
    assert found.rate == 0.6


def test_free_blocks_are_counted_in_four_classes() -> None:
    # row A64: 23 up to 64 MiB, 8 up to 256 MiB, 3 up to 1 GiB, 1 above
    sizes = [64 * MIB] * 23 + [65 * MIB] * 8 + [GIB] * 3 + [GIB + 1]
    placed, end = [], 0
    for size in sizes:
        placed.append((end + size, 512))
        end += size + 512
    assert fragmentation(placed, end).free_blocks == (23, 8, 3, 1)


def test_the_classes_are_those_of_the_memory_plan() -> None:
    assert FREE_BLOCK_STEPS == memory_report.FREE_BLOCK_STEPS


def test_a_full_arena_has_no_fragments() -> None:
    found = fragmentation([(0, 10)], 10)
    assert (found.gaps, found.index, found.rate) == ((), 0.0, 0.0)


@pytest.mark.parametrize("placed", [[(0, 10), (5, 10)], [(0, 101)]])
def test_blocks_of_several_pools_are_refused(placed: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"overlaps|blocks end"):
        fragmentation(placed, 100)
