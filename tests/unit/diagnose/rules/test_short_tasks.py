from __future__ import annotations

import pytest

from perfgate.core.execution_profile import Parts
from perfgate.diagnose.rules.short_tasks import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, kernel, profile


@pytest.mark.parametrize(("device", "launch"), [("ascend-310p-like", "10.0 us"), ("a100-like", "5.00 us")])
def test_unfused_operators_are_shorter_than_their_launch(device: str, launch: str) -> None:
    before = side("sd_unet", "tiny", device=device)
    after = side("sd_unet", "tiny", device=device, flags={"--disable_pass": "fusion"})
    suspect = found(RULE, compare(before, after))[0]
    assert f"after a launch of {launch}" in suspect.sentence
    assert suspect.remedies[0].title == "switch every fusion on"


def test_equal_sides_are_silent() -> None:
    same = side("sd_unet", "tiny")
    assert found(RULE, compare(same, same)) == []


@pytest.mark.parametrize(("short", "count"), [(3, 1), (2, 0)])
def test_three_short_kernels_of_ten_are_the_limit(short: int, count: int) -> None:
    """A launch of 2 ms; short ones work for 1 ms, the others for 9."""
    lengths = [3 * MS] * short + [11 * MS] * (10 - short)
    kernels = tuple(
        kernel(1, length, index=number, parts=Parts(dispatch_ps=2 * MS, compute_ps=length - 2 * MS))
        for number, length in enumerate(lengths)
    )
    before = profile(sum(lengths) - 10 * MS)
    assert len(found(RULE, signals_of(before, profile(sum(lengths), kernels=kernels)))) == count


def test_without_a_baseline_a_quarter_of_the_time_has_to_go_into_such_launches() -> None:
    assert len(found(RULE, alone(side("sd_unet", "tiny")))) == 1
    assert found(RULE, alone(side("resnet50", sizes={"batch": 8}))) == []
