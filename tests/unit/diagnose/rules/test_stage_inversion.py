from __future__ import annotations

import pytest

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.rules.stage_inversion import RULE
from tests.diagnose_sides import found, signals_of
from tests.hand_profiles import MS
from tests.pipelines import profile_of

# Both detectors are ready after 7 ms, for one device; the lidar's takes 7 ms and nobody needs it soon.
SHARED = {"engines.device": "1", "lidar.scan.duration": "4 ms", "lidar.cluster.duration": "1 ms"}
BEFORE = profile_of(SHARED)


def test_a_stage_behind_one_that_could_wait_is_let_go_first() -> None:
    (suspect,) = found(RULE, signals_of(BEFORE, profile_of({**SHARED, "camera.detect.priority": "-1"})))
    assert suspect.operator is not None
    assert suspect.operator.name == "camera.detect"
    assert "of priority -1 waits 7.00 ms for the device behind lidar.detect of priority 0" in suspect.sentence
    assert suspect.cost == 7 * MS
    setting = NewSetting(kind=DifferenceKind.STAGE, name="camera.detect.priority", value="1")
    assert suspect.remedies[0].settings == (setting,)


def test_of_less_urgent_work_that_began_earlier_only_advice_is_left() -> None:
    # the lidar's detector begins at 6 ms, 1 ms before the camera's is ready, and is not interrupted
    after = profile_of({**SHARED, "lidar.scan.duration": "3 ms"})
    (suspect,) = found(RULE, signals_of(BEFORE, after))
    assert suspect.sentence.endswith("which is not interrupted")
    assert suspect.cost == 6 * MS
    assert [remedy.can_be_simulated for remedy in suspect.remedies] == [False]


@pytest.mark.parametrize("device", ["1", "2"])
def test_equal_sides_and_waits_for_work_without_slack_are_silent(device: str) -> None:
    same = profile_of({**SHARED, "engines.device": device})
    assert found(RULE, signals_of(same, same)) == []
    slow = {"lidar.detect.duration": "20 ms"}
    shared = profile_of({**slow, "engines.device": "1"})
    assert found(RULE, signals_of(profile_of(slow), shared)) == []


@pytest.mark.parametrize(("scan", "count"), [("3999 us", 1), ("4 ms", 0)])
def test_a_microsecond_decides_who_is_first(scan: str, count: int) -> None:
    assert len(found(RULE, signals_of(BEFORE, profile_of({**SHARED, "lidar.scan.duration": scan})))) == count
