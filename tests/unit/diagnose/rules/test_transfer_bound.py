from __future__ import annotations

import pytest

from perfgate.diagnose.rules.transfer_bound import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_slow_link_in_the_device_file_is_busy_while_engines_are_not(device: str) -> None:
    before = side("odd_stride", "even", device=device)
    after = side("odd_stride", "even", device=device, edits={"link.gb_s": 1.0})
    signals = compare(before, after)
    suspect = found(RULE, signals)[0]
    assert suspect.sentence.startswith("the host link is busy ")
    assert suspect.cost == signals.delta  # nothing but the link became slower
    assert suspect.remedies[0].settings[0].name == "pinned_memory"


def test_equal_sides_and_a_model_that_computes_are_silent() -> None:
    slow = side("odd_stride", "even", edits={"link.gb_s": 1.0})
    assert found(RULE, compare(slow, slow)) == []
    assert found(RULE, alone(side("resnet50"))) == []


@pytest.mark.parametrize(("link", "compute", "count"), [(0.81, 0.59, 1), (0.79, 0.59, 0), (0.81, 0.61, 0)])
def test_four_fifths_of_the_link_and_three_of_the_engine_are_the_limits(
    link: float, compute: float, count: int
) -> None:
    busy = {"h2d": link, "matrix": compute}
    after = profile(
        100 * MS, busy_share=busy, busy_ps={name: round(100 * MS * part) for name, part in busy.items()}
    )
    assert len(found(RULE, signals_of(profile(50 * MS), after))) == count
