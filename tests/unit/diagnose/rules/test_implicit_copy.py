from __future__ import annotations

import pytest

from perfgate.core.diagnosis import Focus
from perfgate.diagnose.rules.implicit_copy import RULE
from tests.diagnose_sides import compare, found, side, signals_of
from tests.hand_profiles import MS, operator, profile

NCHW = {"--optypelayout": "NCHW"}


def test_a_round_trip_over_the_host_is_named_with_its_bytes() -> None:
    """64 channels of 25 x 41 in two bytes are 131,200 B, down and up at the first and the last layer."""
    signals = compare(side("odd_stride", "even", flags=NCHW), side("odd_stride", "odd", flags=NCHW))
    (suspect,) = found(RULE, signals)
    assert suspect.operator is not None
    assert suspect.operator.name == "Net.layers.0.conv"
    assert suspect.evidence[0].text == (
        "implicit copies, device -> host -> device: 2 in all, 1 of 2 per step at Net.layers.0.conv,"
        " none in the baseline, 525 kB"
    )


def test_for_the_focus_on_copies_the_bytes_count() -> None:
    even, odd = (side("odd_stride", preset, flags=NCHW) for preset in ("even", "odd"))
    assert [item.cost for item in found(RULE, compare(even, odd, Focus.COPIES))] == [524_800]
    assert found(RULE, compare(even, odd, Focus.MEMORY)) == []


def test_equal_sides_and_a_device_with_a_route_for_any_stride_are_silent() -> None:
    odd = side("odd_stride", "odd", flags=NCHW)
    assert found(RULE, compare(odd, odd)) == []
    even, odd = (
        side("odd_stride", preset, flags=NCHW, device="ascend-910b-like") for preset in ("even", "odd")
    )
    assert found(RULE, compare(even, odd)) == []


def test_another_device_file_with_a_slower_link_pays_more_for_the_same_copies() -> None:
    costs = []
    for rate in (26.0, 1.0):
        even, odd = (
            side("odd_stride", preset, flags=NCHW, edits={"link.gb_s": rate}) for preset in ("even", "odd")
        )
        costs.append(sum(item.cost for item in found(RULE, compare(even, odd))))
    assert costs[1] > costs[0]


@pytest.mark.parametrize(("added", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_copies_count_from_one_per_cent_of_the_latency(added: int, count: int) -> None:
    before = profile(98 * MS, operators=(operator(1, 50 * MS),))
    row = operator(1, 50 * MS + added, copies=2, copied_bytes=1000, copies_ps=added)
    assert len(found(RULE, signals_of(before, profile(100 * MS, operators=(row,))))) == count
