from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.diagnose.rules.more_work import RULE
from perfgate.diagnose.rules.registry import RULES
from tests.diagnose_sides import compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, operator, profile

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph


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


def test_a_result_that_the_call_returns_as_well_is_more_work_with_its_conversion() -> None:
    """1 x 64 x 64 x 64 elements of two bytes, once as they were and once more."""
    before, after = (drawn_profile(_layers(*names), side()) for names in (("two",), ("one", "two")))
    suspect = found(RULE, signals_of(before, after))[0]
    assert suspect.sentence.endswith("inputs and outputs 1.05 MB -> 1.57 MB")
    assert suspect.operator is not None
    assert suspect.operator.name == "one"


def _layers(*outputs: str) -> Graph:
    draw = Drawing()
    draw.conv(draw.conv(draw.input("x", 1, 64, 64, 64), "one", 64), "two", 64)
    return draw.graph(*outputs)


def test_what_stands_in_the_way_of_a_fusion_is_told_there() -> None:
    relu, where = (side("custom_activation", preset) for preset in ("relu", "where"))
    assert found(RULE, compare(relu, where)) == []


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
