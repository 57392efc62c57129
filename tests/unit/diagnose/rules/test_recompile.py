from __future__ import annotations

import pytest

from perfgate.diagnose.rules.recompile import RULE
from tests.diagnose_sides import compare, found, side, signals_of
from tests.hand_profiles import MS, profile

SHAPES = {"--input_shape": "image:-1,64,32,32", "--dynamic_batch_size": "1,2,4"}


@pytest.mark.parametrize(("device", "launches_us"), [("ascend-310p-like", 18), ("a100-like", 12)])
def test_three_shapes_cost_a_look_up_at_every_launch(device: str, launches_us: int) -> None:
    """Six kernels, 3 us each (2 us on the GPU) for a launch with dynamic shapes, by the device files."""
    signals = compare(
        side("odd_stride", "even", device=device), side("odd_stride", "even", device=device, flags=SHAPES)
    )
    suspect = found(RULE, signals)[0]
    assert suspect.sentence.startswith("compiled shapes 1 -> 3")
    assert suspect.cost == launches_us * 1_000_000 == signals.delta


def test_equal_shapes_are_silent() -> None:
    dynamic = side("odd_stride", "even", flags=SHAPES)
    assert found(RULE, compare(dynamic, dynamic)) == []
    assert found(RULE, compare(dynamic, side("odd_stride", "even"))) == []


@pytest.mark.parametrize(("time", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_compilation_inside_measured_runs_counts_from_one_per_cent_of_the_latency(
    time: int, count: int
) -> None:
    before, after = profile(98 * MS), profile(100 * MS, compiles=2, compile_ps=time)
    suspects = found(RULE, signals_of(before, after))
    assert len(suspects) == count
    assert all(item.sentence.startswith("2 compilations inside the measured runs") for item in suspects)
    assert len(found(RULE, signals_of(None, after))) == count
