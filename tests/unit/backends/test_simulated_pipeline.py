"""Pipelines on the backend; milliseconds of the presets are added up by hand."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.backends.protocol import Request, StageRequest
from perfgate.backends.simulated import SimulatedBackend
from perfgate.backends.simulated_pipeline import PipelineBackend
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting
from perfgate.zoo.catalogue import build
from tests.pipelines import DEVICE, opened, pipeline_request

MODEL = bytes(build("resnet50", "tiny").SerializeToString())


def with_model(**fields: object) -> Request:
    """The camera's detector as a model, with compile flags of its own or of the benchmark."""
    request = pipeline_request(**fields)  # type: ignore[arg-type]  # fields of a request
    kept = tuple(item for item in request.pipeline if item.name != "camera.detect.duration")
    stage = Request(benchmark="m", device=DEVICE, model=MODEL, model_name="zoo:resnet50")
    return msgspec.structs.replace(
        request,
        pipeline=(*kept, Setting(name="camera.detect.model", value="zoo:resnet50")),
        stages={"camera.detect": StageRequest(request=stage, of_batch=lambda _: stage)},
    )


def test_the_branches_meet_their_deadlines_and_the_plan_follows_in_50_ms() -> None:
    exact = opened(pipeline_request()).describe().exact
    assert exact["branch_latency.camera"] == pytest.approx(0.030)  # 2 + 5 + 15 + 8, at most 33 (hard)
    assert exact["branch_latency.lidar"] == pytest.approx(0.025)  # 10 + 3 + 7 + 5, at most 100 (soft)
    assert exact["skew"] == pytest.approx(0.030 - 0.014)  # the radar's is the first, 4 + 6 + 4
    assert exact["deadline_misses"] == 0
    assert opened(pipeline_request()).profile().application.total_ps == 50_000_000_000  # + 12 + 8


def test_a_single_frame_takes_28_of_33_ms() -> None:
    session = opened(pipeline_request("single_frame", noise="none", metrics=("latency", "throughput")))
    run = session.measure(0)
    assert set(run.samples["latency"]) == {0.028}
    assert run.samples["throughput"][0] == pytest.approx(1 / 0.033)  # one frame per period
    assert any("all samples are equal" in note for note in session.describe().notes)


def test_a_hard_deadline_is_missed_by_every_frame() -> None:
    session = opened(pipeline_request(changed={"camera.detect.duration": "20 ms"}, iterations=7))
    assert session.describe().exact["deadline_misses"] == 7  # 35 ms of 33, in each of them
    assert session.describe().protocol["iterations"] == "7"


def test_more_work_than_time_lets_waits_grow_and_says_so() -> None:
    session = opened(
        pipeline_request("single_frame", {"frame.process.duration": "66 ms"}, metrics=("throughput",))
    )
    assert session.describe().notes[0].startswith("device has more work than time")
    # the last of 30 frames waits 29 times the 33 ms that the device is short of
    assert session.profile().application.total_ps == (4 + 29 * 33 + 66 + 8 + 4) * 1_000_000_000
    mean = sum(session.measure(0).samples["throughput"]) / 20
    assert mean == pytest.approx(1 / 0.066, rel=0.05)  # utilisation law: one frame per 66 ms


def test_runs_follow_from_seed_and_number_alone() -> None:
    one, two = opened(pipeline_request()), opened(pipeline_request())
    two.measure(0)
    assert one.measure(3) == two.measure(3)
    assert one.measure(3).samples != one.measure(4).samples


def test_a_model_stage_takes_the_simulated_time_of_its_model() -> None:
    models = SimulatedBackend()
    alone = models.open(Request(benchmark="m", device=DEVICE, model=MODEL)).profile()
    stages = {row.name: row for row in opened(with_model()).profile().stages}
    assert stages["camera.detect"].duration_ps == alone.application.total_ps
    assert stages["camera.detect"].kind == "model"


def test_flags_named_after_a_stage_are_its_own_and_replace_those_of_all() -> None:
    flag = "--precision_mode"
    wide = Setting(name=flag, value="force_fp32")
    half = Setting(name=f"camera.detect: {flag}", value="force_fp16")
    times = [
        next(
            row.duration_ps
            for row in opened(with_model(compile=flags)).profile().stages
            if row.kind == "model"
        )
        for flags in ((wide,), (wide, half), (half,))
    ]
    assert times[0] > times[1] == times[2]


def test_a_model_that_is_not_there_is_a_message() -> None:
    request = msgspec.structs.replace(with_model(), stages={})
    with pytest.raises(UsageError, match=r"the model of the stage 'camera\.detect' is not here"):
        opened(request)


def test_what_is_no_pipeline_goes_to_the_models() -> None:
    models = SimulatedBackend()
    request = Request(benchmark="m", device=DEVICE, model=MODEL)
    assert PipelineBackend(models).open(request).profile() == models.open(request).profile()
