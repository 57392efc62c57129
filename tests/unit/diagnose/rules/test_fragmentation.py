from __future__ import annotations

import pytest

from perfgate.core.diagnosis import Focus
from perfgate.diagnose.rules.fragmentation import RULE
from tests.diagnose_sides import compare, found, side, signals_of
from tests.hand_profiles import MIB, MS, memory, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_an_arena_that_reuses_nothing_is_mostly_unused_at_its_peak(device: str) -> None:
    """Without the memory pass each buffer lies behind the one before."""
    before = side("resnet50", "tiny", device=device)
    after = side("resnet50", "tiny", device=device, flags={"--disable_pass": "memory"})
    signals = compare(before, after, Focus.MEMORY)
    suspect = found(RULE, signals)[0]
    assert suspect.sentence.startswith("fragmentation rate 0.0")
    assert suspect.cost == signals.delta


def test_equal_sides_and_another_focus_are_silent() -> None:
    off = side("resnet50", "tiny", flags={"--disable_pass": "memory"})
    assert found(RULE, compare(off, off, Focus.MEMORY)) == []
    assert found(RULE, compare(side("resnet50", "tiny"), off)) == []


@pytest.mark.parametrize(("index", "rate", "count"), [(0.39, 0.24, 0), (0.41, 0.0, 1), (0.0, 0.26, 1)])
def test_two_fifths_of_the_index_or_a_quarter_of_the_rate_are_the_limits(
    index: float, rate: float, count: int
) -> None:
    before = profile(MS, memory=memory(peak=100 * MIB, lower_bound=100 * MIB))
    used = memory(peak=140 * MIB, lower_bound=100 * MIB, fragmentation_index=index, fragmentation_rate=rate)
    assert len(found(RULE, signals_of(before, profile(MS, memory=used), Focus.MEMORY))) == count


@pytest.mark.parametrize(("wanted", "count"), [(70, 1), (110, 0)])
def test_an_allocation_that_failed_with_enough_bytes_free_is_told(wanted: int, count: int) -> None:
    """Of 100 MiB free the largest piece is 65: 70 do not fit although there is room, 110 are no such case."""
    used = memory(
        peak=200 * MIB, lower_bound=200 * MIB, largest_free=65 * MIB, fragmentation_index=0.35,
        failed=(wanted * MIB,),
    )  # fmt: skip
    suspects = found(RULE, signals_of(None, profile(MS, memory=used), Focus.MEMORY))
    assert len(suspects) == count
    assert all(item.sentence.startswith("73.4 MB could not be taken with 105 MB free") for item in suspects)
