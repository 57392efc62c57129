from __future__ import annotations

import pytest

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.rules.priority_inversion import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, profile

BUSY = {"background.load": "0.5", "background.priority": "normal", "background.kernel_us": "100"}


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_low_priority_waits_for_what_comes_later_too(device: str) -> None:
    """R = 0.5 * 100 us / 2 = 25 us. Above: R. Below: R / (1 - 0.5)^2 = 100 us, so 75 us more per kernel."""
    before, after = (
        side("odd_stride", "even", device=device, runtime={**BUSY, "stream_priority": own})
        for own in ("high", "low")
    )
    signals = compare(before, after)
    suspect = found(RULE, signals)[0]
    assert "kernels of low priority wait 600 us behind other work of normal priority" in suspect.sentence
    assert suspect.cost == 6 * 75_000_000 == signals.delta
    setting = NewSetting(kind=DifferenceKind.RUNTIME, name="stream_priority", value="high")
    assert suspect.remedies[0].settings == (setting,)


def test_a_device_of_ones_own_and_equal_sides_are_silent() -> None:
    same = side("odd_stride", "even", runtime={**BUSY, "stream_priority": "low"})
    assert found(RULE, compare(same, same)) == []
    assert found(RULE, alone(side("odd_stride", "even"))) == []


def test_more_kernels_that_wait_as_long_each_are_no_inversion() -> None:
    four, five = (side("odd_stride", "even", sizes={"depth": depth}, runtime=BUSY) for depth in (4, 5))
    assert found(RULE, compare(four, five)) == []


def test_the_highest_priority_cannot_be_raised() -> None:
    top = side("odd_stride", "even", runtime={**BUSY, "stream_priority": "high"})
    (suspect,) = found(RULE, alone(top))
    assert [remedy.can_be_simulated for remedy in suspect.remedies] == [False]


@pytest.mark.parametrize(("waited", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_waiting_counts_from_one_per_cent_of_the_latency(waited: int, count: int) -> None:
    after = profile(100 * MS, background_ps=waited, priority="low", background_priority="high")
    assert len(found(RULE, signals_of(profile(98 * MS), after))) == count
