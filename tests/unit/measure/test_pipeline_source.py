from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UsageError
from perfgate.measure.pipeline_source import read_stages
from perfgate.measure.suite import load_suite

if TYPE_CHECKING:
    from perfgate.measure.benchmark import Benchmark, StagePlan

OWN = """\
period: 33 ms
engines: {host: 2}
stages:
  - {name: cam.capture, resource: sensor, duration: 2 ms}
  - name: cam.detect
    kind: model
    resource: device
    model: ../models/detect.onnx
    inputs: {x: {shape: [N, 3]}}
    bind: {N: 2}
    after: [cam.capture]
    compile: {flags: {--precision_mode: force_fp16}}
  - {name: plan, resource: host, duration: 8 ms, after: cam.detect, deadline: 33 ms, hard: true, batch: 2}
"""


def suite(entry: str) -> Benchmark:
    text = f"version: 1\nbenchmarks:\n  - {{name: p, devices: [d], {entry}}}\n"
    return load_suite(text.encode(), "perf/perf_p.yaml")[0]


def stages(item: Benchmark, text: str = OWN) -> StagePlan:
    assert item.pipeline is not None
    return read_stages(item, item.pipeline, lambda *_, **__: text.encode())


def refusal(entry: str, text: str = OWN) -> str:
    with pytest.raises(UsageError) as caught:
        stages(suite(entry), text)
    return str(caught.value)


def test_a_pipeline_of_a_file_is_read_with_places_and_models() -> None:
    item = suite("pipeline: ../deploy/pipe.yaml")
    assert item.work == "deploy/pipe.yaml"
    plan = stages(item)
    named = {setting.name: setting for setting in plan.settings}
    assert named["period"].value == "33 ms"
    assert named["engines.host"].value == "2"
    assert named["cam.detect.after"].value == "cam.capture"
    column = OWN.splitlines()[12].index("batch") + 1
    assert named["plan.batch"].place == f"deploy/pipe.yaml:13:{column}"
    model = plan.models["cam.detect"]
    assert model.model == "models/detect.onnx"  # relative to the pipeline's file
    assert model.inputs == {"x": (2, 3)}
    assert model.compile is not None
    assert model.compile.flags == {"--precision_mode": "force_fp16"}


def test_a_pipeline_may_stand_in_the_suite() -> None:
    item = suite("pipeline: {period: 33 ms, stages: [{name: a, resource: host, duration: 1 ms}]}")
    plan = stages(item, "never read")
    assert [setting.name for setting in plan.settings] == ["period", "a.resource", "a.duration"]
    assert plan.settings[0].place.startswith("perf/perf_p.yaml:3:")


def test_a_shipped_one_takes_settings_as_parameters() -> None:
    changed = 'pipeline: "zoo:perception", preset: single_frame, parameters: {frame.fuse.duration: 9 ms}'
    named = {setting.name: setting.value for setting in stages(suite(changed)).settings}
    assert (named["frame.fuse.duration"], named["frame.plan.duration"]) == ("9 ms", "4 ms")


def test_a_pipeline_has_its_own_metrics_whatever_the_defaults_are() -> None:
    text = "version: 1\ndefaults: {devices: [d], metrics: [cycles]}\nbenchmarks:\n"
    text += '  - {name: p, pipeline: "zoo:perception"}\n'
    text += '  - {name: q, pipeline: "zoo:perception", metrics: [skew]}\n'
    first, second = load_suite(text.encode(), "perf_p.yaml")
    assert [metric.name for metric in first.metrics] == [
        "latency", "throughput", "branch_latency", "deadline_misses", "skew",
    ]  # fmt: skip
    assert [metric.name for metric in second.metrics] == ["skew"]


def test_what_does_not_fit_is_refused_with_its_place() -> None:
    file = "pipeline: ../deploy/pipe.yaml"
    assert "no pipeline 'zoo:resnet50'" in refusal('pipeline: "zoo:resnet50"')
    assert "unknown preset 'branch'" in refusal('pipeline: "zoo:perception", preset: branch')
    assert "`preset` and `parameters` belong to zoo:perception" in refusal(f"{file}, preset: branches")
    assert "deploy/pipe.yaml:8:5" in refusal(file, OWN.replace("../models", "../../models"))
    twice = OWN.replace("name: plan", "name: cam.capture")
    assert "the stage 'cam.capture' twice: deploy/pipe.yaml:13:6" in refusal(file, twice)
    assert "of kind fixed" in refusal(file, OWN.replace("kind: model", "kind: fixed"))
    assert "a stage named 'engines'" in refusal(file, OWN.replace("name: plan", "name: engines"))
    assert "unknown key 'prio'" in refusal(file, OWN.replace("batch: 2", "prio: 2"))


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ('pipeline: "zoo:perception", model: a.onnx', "has no `model`"),
        ('pipeline: "zoo:perception", backend: command', "has no `pipeline`"),
        ('pipeline: "zoo:perception", bind: {N: 1}', "a pipeline has no `bind`"),
        ("pipeline: ../../x.yaml", "leaves the repository"),
    ],
)
def test_keys_of_models_and_other_backends_are_refused(entry: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        suite(entry)
    assert what in str(caught.value)
