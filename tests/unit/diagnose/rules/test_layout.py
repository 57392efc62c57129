from __future__ import annotations

import pytest

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.rules.layout import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, kernel, operator, profile


@pytest.mark.parametrize(
    ("device", "native"),
    [("ascend-310p-like", "NC1HWC0"), ("ascend-910b-like", "NC1HWC0"), ("a100-like", "NHWC")],
)
def test_a_pinned_layout_that_the_engine_does_not_work_in_is_named_with_the_native_one(
    device: str, native: str
) -> None:
    """Sensitive operators in between, or the pairs of conversions would cancel: a U-Net has norms."""
    before, after = (
        side("sd_unet", "tiny", device=device, flags={"--optypelayout": layout})
        for layout in (native, "NCHW")
    )
    suspect = found(RULE, compare(before, after))[0]
    assert suspect.sentence.partition(":")[0].endswith(f"got NCHW, {device} works in {native}")
    assert suspect.operator is not None
    assert suspect.operator.op == "Conv"
    setting = NewSetting(kind=DifferenceKind.FLAG, name="--optypelayout", value=native)
    assert suspect.remedies[0].settings == (setting,)


def test_the_same_layout_on_both_sides_is_silent() -> None:
    before, after = (side("sd_unet", "tiny", flags={"--optypelayout": "NCHW"}) for _ in range(2))
    assert found(RULE, compare(before, after)) == []


def test_a_conversion_that_moved_to_another_operator_is_silent() -> None:
    """One more layer: the conversion of the result stands behind the last one, wherever that is."""
    assert (
        found(RULE, compare(side("odd_stride", "even"), side("odd_stride", "even", sizes={"depth": 5}))) == []
    )


@pytest.mark.parametrize(("share", "count"), [(0.011, 1), (0.009, 0)])
def test_a_conversion_counts_from_one_per_cent_of_the_latency(share: float, count: int) -> None:
    added = round(100 * MS * share)
    turn = kernel(1, added, index=2, implicit=True, engine="dma", variant="NCHW->NC1HWC0")
    before = profile(100 * MS - added, operators=(operator(1, 50 * MS),), kernels=(kernel(1, 50 * MS),))
    after = profile(
        100 * MS,
        operators=(operator(1, 50 * MS + added, conversions=1, conversions_ps=added),),
        kernels=(kernel(1, 50 * MS), turn),
    )
    assert len(found(RULE, signals_of(before, after))) == count


def test_without_a_baseline_the_conversions_themselves_count() -> None:
    assert (
        "got NCHW"
        in found(RULE, alone(side("odd_stride", "odd", flags={"--optypelayout": "NCHW"})))[0].sentence
    )
    assert found(RULE, alone(side("resnet50"))) == []
