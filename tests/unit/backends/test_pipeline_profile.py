"""Profiles of pipelines: drawn by hand, and parts that add up whatever the stages are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfgate.diagnose.critical import critical_path
from tests.pipelines import profile_of

MS = 1_000_000_000
BUSY = {"engines.device": "1", "lidar.scan.duration": "4 ms"}  # both detectors are ready after 7 ms


def test_stages_are_operators_in_their_branch_and_kernels_on_their_resource() -> None:
    profile = profile_of()
    detect = next(row for row in profile.operators if row.name == "camera.detect")
    assert (detect.scope, detect.op, detect.total_ps) == ("camera", "detect", 15 * MS)
    engines = {row.name: (row.engine, row.start_ps) for row in profile.kernels}
    assert engines["camera.capture"] == ("sensor", 0)
    assert engines["plan"] == ("host", 42 * MS)
    # one lane per sensor (3), two devices, and the hosts that are used at once
    assert profile.graph.streams == len({row.stream for row in profile.kernels}) >= 6


def test_the_critical_path_goes_through_the_input_that_came_last() -> None:
    path = [row.name for row in profile_of().stages if row.critical]
    assert path == ["camera.capture", "camera.prepare", "camera.detect", "camera.track", "fusion", "plan"]


def test_a_wait_is_a_gap_with_the_stages_that_held_the_engine() -> None:
    profile = profile_of({**BUSY, "camera.detect.priority": "-1"})
    row = next(item for item in profile.stages if item.name == "camera.detect")
    assert (row.ready_ps, row.start_ps, row.wait_ps) == (7 * MS, 14 * MS, 7 * MS)  # the lidar's from 7 to 14
    assert [(item.stage, item.time_ps) for item in row.blockers] == [("lidar.detect", 7 * MS)]
    assert [(gap.before, gap.length_ps) for gap in profile.graph.gaps] == [("camera.detect", 7 * MS)]


def test_slack_is_what_a_stage_could_end_later() -> None:
    slack = {row.name: row.slack_ps for row in profile_of().stages}
    assert slack["camera.track"] == 0
    assert slack["lidar.cluster"] == 5 * MS  # the camera ends after 30 ms, the lidar after 25
    assert slack["radar.sweep"] == 16 * MS  # the radar after 14


def test_a_batch_says_how_long_its_first_frame_waited() -> None:
    row = next(item for item in profile_of({"fusion.batch": "2"}).stages if item.name == "fusion")
    assert (row.gather_ps, row.duration_ps) == (33 * MS, 24 * MS)  # one period; 12 ms for each of two


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "engines.device": st.integers(1, 2).map(str),
        "engines.host": st.integers(1, 3).map(str),
        "camera.detect.duration": st.integers(1, 60).map("{} ms".format),
        "lidar.detect.duration": st.integers(1, 60).map("{} ms".format),
        "lidar.detect.priority": st.integers(-2, 2).map(str),
        "camera.track.batch": st.integers(1, 3).map(str),
        "fusion.batch": st.integers(1, 3).map(str),
    },
)


@given(SETTINGS)
def test_work_and_waits_of_the_path_sum_to_the_latency(changed: dict[str, str]) -> None:
    profile = profile_of(changed)
    path = critical_path(profile)
    assert sum(share.total for share in path.shares.values()) + path.wait == path.total
    assert profile.parts.duration_ps + profile.parts.wait_ps == profile.application.total_ps
    critical = [row for row in profile.stages if row.critical]
    waits = sum(row.wait_ps + row.gather_ps for row in critical)
    assert waits == path.wait  # from the sensor's start on nothing else passes time
    assert all(row.slack_ps >= 0 for row in profile.stages)
