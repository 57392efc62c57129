from __future__ import annotations

import pytest

from perfgate.core.execution_profile import Parts
from perfgate.diagnose.rules.dispatch_bound import RULE
from tests.diagnose_sides import alone, compare, found, side, signals_of
from tests.hand_profiles import MS, operator, profile


@pytest.mark.parametrize(("device", "launch_us"), [("ascend-310p-like", 10), ("a100-like", 5)])
def test_a_launch_of_40_us_in_the_device_file_is_seen_as_time_of_dispatch(
    device: str, launch_us: int
) -> None:
    signals = compare(
        side("sd_unet", "tiny", device=device),
        side("sd_unet", "tiny", device=device, edits={"launch.compiled_us": 40.0}),
    )
    suspect = found(RULE, signals)[0]
    assert suspect.sentence.startswith("launching ")
    launches = int(signals.after.exact["kernel_count"])
    assert suspect.cost == launches * (40 - launch_us) * 1_000_000


def test_equal_launches_are_silent_also_when_they_move_to_one_stream() -> None:
    same = side("sd_unet", "tiny")
    assert found(RULE, compare(same, same)) == []
    four, one = (
        side("detector", "tiny", runtime={"pinned_memory": "true", "streams": count}) for count in ("4", "1")
    )
    assert found(RULE, compare(four, one)) == []


@pytest.mark.parametrize(("launches", "count"), [(26, 1), (24, 0)])
def test_a_quarter_of_the_latency_is_the_limit(launches: int, count: int) -> None:
    parts = Parts(dispatch_ps=launches * MS, compute_ps=(100 - launches) * MS)
    after = profile(100 * MS, operators=(operator(1, 100 * MS, parts=parts),), parts=parts)
    assert len(found(RULE, signals_of(profile(90 * MS), after))) == count
    assert len(found(RULE, signals_of(None, after))) == count


def test_a_model_with_work_to_do_is_silent() -> None:
    assert found(RULE, alone(side("resnet50", sizes={"batch": 16}))) == []
