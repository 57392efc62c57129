"""The pipeline against sums by hand; times are in milliseconds of the presets."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.errors import UsageError
from perfgate.zoo.frames import run_frames
from perfgate.zoo.perception import MS, PIPELINES, Pipeline, Resource, Stage

BRANCHES, SINGLE = PIPELINES["branches"], PIPELINES["single_frame"]


def pipeline(*stages: Stage, period: int = 100, engines: dict[Resource, int] | None = None) -> Pipeline:
    return Pipeline(
        name="test",
        stages=stages,
        period_ps=period,
        engines=engines or {Resource.HOST: 1, Resource.DEVICE: 1},
    )


def test_a_single_frame_takes_the_sum_of_its_stages() -> None:
    report = run_frames(SINGLE, 1)
    assert report.latency_ps == (4 + 12 + 8 + 4) * MS
    assert report.misses == ()
    assert report.slowest_stage == "frame.process"


def test_branches_take_their_own_sums_and_the_plan_follows_the_longest() -> None:
    report = run_frames(BRANCHES, 1)
    assert report.branch_latency_ps == {
        "camera": (2 + 5 + 15 + 8) * MS, "lidar": (10 + 3 + 7 + 5) * MS, "radar": (4 + 6 + 4) * MS,
    }  # fmt: skip
    assert report.latency_ps == (30 + 12 + 8) * MS  # latency from sensor to plan, longer than the period
    assert report.skew_ps == (30 - 14) * MS
    assert report.misses == ()


def test_steady_frames_keep_their_deadlines() -> None:
    report = run_frames(BRANCHES, 30)
    assert report.branch_latency_ps["camera"] == 30 * MS
    assert report.misses == ()


def test_a_slow_sensor_delivers_to_every_third_frame() -> None:
    frames = [span.frame for span in run_frames(BRANCHES, 7).spans if span.stage == "lidar.detect"]
    assert frames == [0, 3, 6]


def test_one_device_makes_the_less_urgent_branch_wait() -> None:
    shared = msgspec.structs.replace(BRANCHES, engines={**BRANCHES.engines, Resource.DEVICE: 1})
    report = run_frames(shared, 1)
    # the camera holds the device from 7 to 22, the lidar follows until 29 and clusters until 34
    assert report.branch_latency_ps["camera"] == 30 * MS
    assert report.branch_latency_ps["lidar"] == 34 * MS
    assert report.latency_ps == 54 * MS


def test_priority_decides_between_stages_that_wait() -> None:
    stages = (
        Stage(name="first", resource=Resource.HOST, duration_ps=10),
        Stage(name="low", resource=Resource.HOST, duration_ps=5),
        Stage(name="high", resource=Resource.HOST, duration_ps=5, priority=1),
    )
    assert [span.stage for span in run_frames(pipeline(*stages), 1).spans] == ["high", "first", "low"]


def test_a_miss_says_by_how_much_and_whether_it_is_hard() -> None:
    stage = Stage(name="slow", resource=Resource.HOST, duration_ps=60, deadline_ps=50, is_hard=True)
    (miss,) = run_frames(pipeline(stage), 1).misses
    assert (miss.frame, miss.stage, miss.late_ps, miss.is_hard) == (0, "slow", 10, True)


def test_a_stage_longer_than_the_period_queues_up() -> None:
    stage = Stage(name="slow", resource=Resource.HOST, duration_ps=130)
    # frame 2 starts at 200, its turn comes at 260, it ends at 390
    assert run_frames(pipeline(stage), 3).latency_ps == 390 - 200


def test_a_model_stage_takes_the_time_it_is_given() -> None:
    stage = Stage(name="detect", resource=Resource.DEVICE, model="zoo:detector")
    assert run_frames(pipeline(stage), 1, {"detect": 42}).latency_ps == 42
    with pytest.raises(UsageError, match=r"has no time: stage 'detect' \(zoo:detector\)"):
        run_frames(pipeline(stage), 1)


def test_pipelines_that_cannot_run_are_usage_errors() -> None:
    late = Stage(name="late", resource=Resource.HOST, after=("early",))
    with pytest.raises(UsageError, match="waits for 'early'"):
        run_frames(pipeline(late), 1)
    with pytest.raises(UsageError, match="has no link to run on"):
        run_frames(pipeline(Stage(name="copy", resource=Resource.LINK)), 1)
    with pytest.raises(UsageError, match="0 frames"):
        run_frames(SINGLE, 0)
