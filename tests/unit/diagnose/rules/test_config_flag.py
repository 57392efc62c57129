from __future__ import annotations

import pytest

from perfgate.core.difference import Difference, DifferenceKind
from perfgate.diagnose.rules.config_flag import RULE
from perfgate.diagnose.signals import Undone
from tests.diagnose_sides import compare, found, profile_of, side, signals_of
from tests.hand_profiles import MS, profile

FLAG = Difference(
    kind=DifferenceKind.FLAG, name="--optypelayout", before="NHWC", after="NCHW",
    place_after="deploy/convert.sh:14:5",
)  # fmt: skip


@pytest.mark.parametrize("device", ["ascend-310p-like", "ascend-910b-like"])
def test_a_flag_that_brings_the_time_back_is_the_cause(device: str) -> None:
    flags = {"--optypelayout": "NHWC"}, {"--optypelayout": "NCHW"}
    before, after = (profile_of(side("sd_unet", "tiny", device=device, flags=each)) for each in flags)
    undone = Undone(difference=FLAG, profile=before, recovered=1.0)
    signals = signals_of(before, after, differences=(FLAG,), undone=(undone,), is_simulated=True)
    (suspect,) = found(RULE, signals)
    assert suspect.sentence == "flag --optypelayout changed, NHWC -> NCHW"
    assert suspect.cost == signals.delta
    assert suspect.remedies[0].taken == (FLAG,)


def test_equal_flags_are_silent() -> None:
    same = side("sd_unet", "tiny", flags={"--optypelayout": "NHWC"})
    assert found(RULE, compare(same, same)) == []


@pytest.mark.parametrize(("recovered", "count"), [(0.06, 1), (0.04, 0)])
def test_a_twentieth_of_the_delta_is_the_limit(recovered: float, count: int) -> None:
    before, after = profile(90 * MS), profile(100 * MS)
    undone = Undone(difference=FLAG, profile=before, recovered=recovered)
    signals = signals_of(before, after, differences=(FLAG,), undone=(undone,), is_simulated=True)
    assert len(found(RULE, signals)) == count


def test_without_a_simulation_every_changed_setting_is_a_suspect_and_a_model_is_none() -> None:
    model = Difference(kind=DifferenceKind.MODEL, name="model.onnx", before="1" * 64, after="2" * 64)
    signals = signals_of(profile(90 * MS), profile(100 * MS), differences=(FLAG, model))
    assert [item.difference for item in found(RULE, signals)] == [FLAG]


def test_another_version_cannot_be_taken_back_by_a_setting() -> None:
    version = Difference(kind=DifferenceKind.CONTEXT, name="perfgate", before="1.0", after="1.1")
    (suspect,) = found(RULE, signals_of(profile(90 * MS), profile(100 * MS), differences=(version,)))
    assert suspect.remedies[0].taken == ()
    assert suspect.remedies[0].advice == "go back to perfgate 1.0"
