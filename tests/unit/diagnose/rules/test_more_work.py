from __future__ import annotations

import pytest

from perfgate.diagnose.rules.more_work import RULE
from perfgate.diagnose.rules.registry import RULES
from tests.diagnose_sides import compare, found, side, signals_of
from tests.hand_profiles import MS, operator, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_layer_more_is_named_as_new(device: str) -> None:
    before = side("odd_stride", "even", device=device)
    after = side("odd_stride", "even", device=device, sizes={"depth": 5})
    suspect = found(RULE, compare(before, after))[0]
    # A 3 x 3 convolution of 64 channels on 32 x 32: 2 * 9 * 64 * 64 * 1024 FLOP, and one per element.
    assert "FLOP 302,252,032 -> 377,815,040, operators 4 -> 5" in suspect.sentence
    assert suspect.operator is not None
    assert suspect.operator.name == "Net.layers.4.conv"
    assert "is new" in suspect.evidence[0].text


def test_wider_layers_and_more_iterations_are_more_work() -> None:
    plain = side("odd_stride", "even")
    wider = found(RULE, compare(plain, side("odd_stride", "even", sizes={"channels": 128})))[0]
    assert "1x64x32x32 -> 1x128x32x32" in wider.evidence[0].text
    longer = found(RULE, compare(plain, side("odd_stride", "even", iterations=2)))[0]
    assert longer.sentence.endswith("iterations 1 -> 2")


def test_the_same_model_in_other_kernels_or_layouts_is_no_more_work() -> None:
    unet = side("sd_unet", "tiny")
    assert found(RULE, compare(unet, unet)) == []
    assert found(RULE, compare(unet, side("sd_unet", "tiny", flags={"--disable_pass": "fusion"}))) == []
    assert found(RULE, compare(unet, side("sd_unet", "tiny", flags={"--optypelayout": "NCHW"}))) == []


@pytest.mark.parametrize(("added", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_more_work_counts_from_one_per_cent_of_the_latency(added: int, count: int) -> None:
    before = profile(98 * MS, operators=(operator(1, 50 * MS),))
    after = profile(100 * MS, operators=(operator(1, 50 * MS + added, flops=1100),))
    assert len(found(RULE, signals_of(before, after))) == count


def test_it_is_told_last() -> None:
    assert RULES[-1] is RULE
