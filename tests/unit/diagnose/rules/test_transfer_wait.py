from __future__ import annotations

import pytest

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.rules.transfer_wait import RULE
from tests.diagnose_sides import alone, compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, kernel, operator, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_pageable_memory_lets_the_first_operator_wait(device: str) -> None:
    """4 MB at 26 GB/s take 161 us, at half that rate 323 us."""
    draw = Drawing()
    graph = draw.graph(draw.matmul(draw.input("x", 1024, 2048), "y", 64))
    before, after = (
        drawn_profile(graph, side(device=device, runtime={"pinned_memory": value}))
        for value in ("true", "false")
    )
    suspect = found(RULE, signals_of(before, after))[0]
    assert suspect.sentence == "y waits 161 us for x (4.19 MB over the link) more than before"
    setting = NewSetting(kind=DifferenceKind.RUNTIME, name="pinned_memory", value="true")
    assert suspect.remedies[0].settings == (setting,)


def test_a_slower_link_in_the_device_file_is_seen() -> None:
    slow = side("odd_stride", "even", edits={"link.gb_s": 1.0})
    suspect = found(RULE, compare(side("odd_stride", "even"), slow))[0]
    assert suspect.operator is not None
    assert suspect.operator.name == "Net.layers.0.conv"


def test_equal_sides_and_unified_memory_are_silent() -> None:
    same = side("odd_stride", "even")
    assert found(RULE, compare(same, same)) == []
    assert found(RULE, alone(side("odd_stride", "even", device="orin-like"))) == []


@pytest.mark.parametrize(("time", "count"), [(6 * MS, 1), (4 * MS, 0)])
def test_waiting_counts_from_five_per_cent_of_the_latency(time: int, count: int) -> None:
    copy = kernel(1, time, index=0, name="w:h2d", op="Copy", kind="h2d", engine="h2d", link_bytes=1)
    work = kernel(1, 90 * MS, start_ps=time)
    after = profile(100 * MS, operators=(operator(1, 90 * MS + time),), kernels=(copy, work))
    assert len(found(RULE, signals_of(profile(92 * MS), after))) == count


def test_more_bytes_at_the_same_rate_are_no_longer_wait() -> None:
    assert (
        found(RULE, compare(side("odd_stride", "even"), side("odd_stride", "even", sizes={"channels": 256})))
        == []
    )


def test_what_is_computed_meanwhile_is_no_waiting() -> None:
    copy = kernel(1, 50 * MS, index=0, name="w:h2d", op="Copy", kind="h2d", engine="h2d", link_bytes=1)
    after = profile(100 * MS, operators=(operator(1, 100 * MS),), kernels=(copy, kernel(1, 90 * MS)))
    assert found(RULE, signals_of(profile(50 * MS), after)) == []
