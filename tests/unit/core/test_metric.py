from __future__ import annotations

from perfgate.core.metric import KNOWN_METRICS, Kind, known_metric


def test_branches_have_a_metric_each_and_others_go_by_their_name() -> None:
    camera = known_metric("branch_latency.camera")
    assert camera is not None
    assert (camera.name, camera.unit, camera.kind) == ("branch_latency.camera", "s", Kind.EXACT)
    assert known_metric("latency") is KNOWN_METRICS["latency"]
    assert known_metric("latency.camera") is None
    assert known_metric("branch_latency.") is None
