from __future__ import annotations

import pytest

from perfgate.core.diagnosis import Focus
from perfgate.diagnose.rules.energy import RULE
from tests.diagnose_sides import alone, compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_full_precision_takes_more_energy_in_products_and_in_memory(device: str) -> None:
    before = side("resnet50", device=device)
    after = side("resnet50", device=device, flags={"--precision_mode": "force_fp32"})
    suspects = found(RULE, compare(before, after, Focus.ENERGY))
    told = " ".join(item.sentence for item in suspects)
    assert "energy of products" in told
    assert "energy of device memory traffic" in told
    titles = {remedy.title for item in suspects for remedy in item.remedies}
    assert {"compute in int8", "compute in fp16"} <= titles


@pytest.mark.parametrize("device", ["ascend-310p-like", "ascend-910b-like"])
def test_work_that_moved_to_the_host_is_named(device: str) -> None:
    draw = Drawing()
    state = draw.matmul(draw.input("x", 512, 512), "product", 512)
    state = draw.add("Relu", [state], "post")
    before, after = (
        drawn_profile(draw.graph(state, **places), side(device=device))
        for places in ({}, {"host_scopes": '["model.post"]'})
    )
    suspect = found(RULE, signals_of(before, after, Focus.ENERGY))[0]
    assert "static power while time passes" in suspect.sentence
    assert "the host works for " in suspect.sentence
    assert suspect.operator is not None
    assert suspect.operator.name == "post"
    assert suspect.remedies[0].title == "move post to the device"


def test_equal_sides_and_another_focus_are_silent() -> None:
    same = side("resnet50", "tiny")
    assert found(RULE, compare(same, same, Focus.ENERGY)) == []
    assert (
        found(RULE, compare(same, side("resnet50", "tiny", flags={"--precision_mode": "force_fp32"}))) == []
    )


@pytest.mark.parametrize(("joules", "count"), [(1.02, 1), (1.005, 0)])
def test_a_consumer_counts_from_one_per_cent_of_the_energy(joules: float, count: int) -> None:
    before = profile(
        100 * MS,
        energy_j={"matrix": 1.0},
    )
    after = profile(100 * MS, energy_j={"matrix": joules})
    assert len(found(RULE, signals_of(before, after, Focus.ENERGY))) == count


def test_without_a_baseline_a_consumer_of_more_than_half_is_told() -> None:
    assert "static power" in found(RULE, alone(side("bert_base", "tiny"), Focus.ENERGY))[0].sentence
