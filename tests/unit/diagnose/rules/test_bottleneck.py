from __future__ import annotations

import msgspec
import pytest

from perfgate.diagnose.rules.bottleneck import RULE
from tests.diagnose_sides import found, signals_of
from tests.hand_profiles import MS
from tests.pipelines import profile_of

PLAIN = profile_of()


def test_a_longer_stage_is_named_with_its_share_and_what_it_costs() -> None:
    after = profile_of({"camera.detect.duration": "25 ms"})
    (suspect,) = found(RULE, signals_of(PLAIN, after))
    assert suspect.sentence == "stage camera.detect takes 15.0 ms -> 25.0 ms"
    assert suspect.operator is not None
    assert suspect.operator.name == "camera.detect"
    assert suspect.cost == 10 * MS
    assert suspect.evidence[0].text == "42 % of the path from sensor to plan, without a wait"  # 25 of 60 ms


def test_a_stage_that_waits_for_more_urgent_work_says_for_whom() -> None:
    # the camera's detector has no slack: it holds the only device from 7 to 22 ms, the lidar's is ready at 13
    slow = {"lidar.detect.duration": "20 ms"}
    before, after = profile_of(slow), profile_of({**slow, "engines.device": "1"})
    (suspect,) = found(RULE, signals_of(before, after))
    assert suspect.sentence.endswith("after waiting 9.00 ms for the device behind camera.detect for 9.00 ms")
    assert suspect.cost == 9 * MS


def test_a_batch_costs_its_work_and_what_it_gathers() -> None:
    (suspect,) = found(RULE, signals_of(PLAIN, profile_of({"fusion.batch": "2"})))
    assert (
        suspect.sentence
        == "stage fusion takes 12.0 ms -> 24.0 ms for a batch of 2 frames, and gathers them for 33.0 ms"
    )
    assert suspect.cost == (12 + 33) * MS


def test_without_a_baseline_the_slowest_stage_of_the_path_is_named() -> None:
    (suspect,) = found(RULE, signals_of(None, PLAIN))
    assert suspect.operator is not None
    assert suspect.operator.name == "camera.detect"  # 15 of 50 ms; the lidar's is not on the path


@pytest.mark.parametrize(("duration", "count"), [("15050 us", 0), ("16 ms", 1)])
def test_a_stage_counts_from_one_per_cent_of_the_latency(duration: str, count: int) -> None:
    after = profile_of({"camera.detect.duration": duration})
    assert len(found(RULE, signals_of(PLAIN, after))) == count


def test_equal_sides_and_stages_off_the_path_are_silent() -> None:
    assert found(RULE, signals_of(PLAIN, PLAIN)) == []
    assert found(RULE, signals_of(PLAIN, profile_of({"lidar.detect.duration": "9 ms"}))) == []


def test_a_model_stage_is_to_be_diagnosed_for_itself() -> None:
    after = profile_of({"camera.detect.duration": "25 ms"})
    stages = tuple(msgspec.structs.replace(row, kind="model") for row in after.stages)
    (suspect,) = found(RULE, signals_of(PLAIN, msgspec.structs.replace(after, stages=stages)))
    assert "diagnose it as a benchmark of its own" in suspect.remedies[0].advice
