from __future__ import annotations

import msgspec

from perfgate.diagnose.stage_view import stage_opportunities
from tests.pipelines import profile_of

SHARED = {"engines.device": "1", "lidar.scan.duration": "4 ms", "camera.detect.priority": "-1"}


def proposed(changed: dict[str, str], without: frozenset[str] = frozenset()) -> list[tuple[str, str | None]]:
    remedies = stage_opportunities(profile_of(changed).stages, without)
    return [(remedy.settings[0].name, remedy.settings[0].value) for remedy in remedies]


def test_order_and_batch_of_stages_on_the_path_are_tried() -> None:
    assert proposed({}) == []
    assert proposed(SHARED) == [("camera.detect.priority", "1")]
    assert proposed({"fusion.batch": "2"}) == [("fusion.batch", "1")]


def test_a_setting_that_changed_is_left_to_its_cause() -> None:
    assert proposed(SHARED, frozenset({"camera.detect.priority"})) == []


def test_a_larger_batch_is_tried_for_a_model_on_a_busy_device() -> None:
    stages = profile_of().stages
    for load, count in ((0.4, 0), (0.6, 1)):
        busy = [
            msgspec.structs.replace(row, kind="model", load=load)
            for row in stages
            if row.name == "camera.detect"
        ]
        assert len(stage_opportunities(busy, frozenset())) == count
