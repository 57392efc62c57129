from __future__ import annotations

import pytest

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.rules.pool_growth import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, memory, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_pool_that_is_too_small_costs_an_allocation_for_each_buffer_past_its_end(device: str) -> None:
    """Two maps of 64 x 32 x 32 fp16 are 262,144 B; 100 us per allocation by both device files."""
    before = side("odd_stride", "even", device=device, runtime={"memory_pool": "2GB"})
    after = side("odd_stride", "even", device=device, runtime={"memory_pool": "200KB"})
    signals = compare(before, after)
    suspect = found(RULE, signals)[0]
    assert suspect.sentence.startswith("pool 200 kB, need 262 kB: 3 allocations per step")
    assert suspect.cost == 3 * 100_000_000 == signals.delta
    setting = NewSetting(kind=DifferenceKind.RUNTIME, name="memory_pool", value="1GB")
    assert suspect.remedies[0].settings == (setting,)
    assert len(found(RULE, alone(after))) == 1


def test_a_pool_that_fits_or_was_too_small_before_is_silent() -> None:
    small = side("odd_stride", "even", runtime={"memory_pool": "200KB"})
    assert found(RULE, compare(small, small)) == []
    assert found(RULE, alone(side("odd_stride", "even", runtime={"memory_pool": "2GB"}))) == []


@pytest.mark.parametrize(("allocations", "count"), [(11, 1), (9, 0)])
def test_allocations_count_from_one_per_cent_of_the_latency(allocations: int, count: int) -> None:
    """Each takes 100 us on this device: 10 are one of 100 ms."""
    used = memory(peak=1, pool=1, arena=2, allocations=allocations)
    after = profile(100 * MS, memory=used)
    assert len(found(RULE, signals_of(profile(90 * MS, memory=memory(peak=1)), after))) == count
