"""A pipeline in a repository: a slow stage planted in its file, found, planned, mended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.e2e.project import Project

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
version: 1
benchmarks:
  - name: perception
    pipeline: deploy/pipeline.yaml
    devices: [orin-like]
    limits: {branch_latency.camera: <=33ms}
  - name: shipped
    pipeline: zoo:perception
    preset: single_frame
    devices: [orin-like]
"""
PIPELINE = """\
period: 33 ms
engines: {host: 2, device: 1}
stages:
  - {name: camera.capture, resource: sensor, duration: 2 ms}
  - name: camera.detect  # compiled and simulated on the benchmark's device
    kind: model
    resource: device
    model: zoo:resnet50
    preset: tiny
    after: camera.capture
    priority: 1
  - {name: camera.track, resource: host, duration: 8 ms, after: camera.detect, deadline: 33 ms, hard: true}
  - {name: lidar.scan, resource: sensor, duration: 10 ms, period: 99 ms}
  - {name: lidar.cluster, resource: host, duration: 5 ms, after: [lidar.scan]}
  - {name: plan, resource: host, duration: 8 ms, after: 'camera.track, lidar.cluster'}
"""
FILES: dict[str, str | bytes] = {
    "perf_pipeline.yaml": SUITE,
    "deploy/pipeline.yaml": PIPELINE,
    ".gitignore": ".perfgate/\nplan/\n__pycache__/\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Baselines of both pipelines, then a commit that makes the camera's track 22 ms longer."""
    found = Project(tmp_path_factory.mktemp("pipeline") / "project")
    found.commit("start", FILES)
    done = found.perfgate("baseline", "update", "--reason", "first baselines")
    assert done.code == 0, done.text
    found.commit("accept the first baselines")
    found.git("update-ref", "refs/remotes/origin/main", "HEAD")
    found.replace(
        "deploy/pipeline.yaml",
        "duration: 8 ms, after: camera.detect",
        "duration: 30 ms, after: camera.detect",
    )
    found.commit("track more objects")
    return found


def test_a_slower_stage_is_red_named_planned_and_mended(project: Project, tmp_path: Path) -> None:
    # camera: 2 + tiny model + 30 ms is over both its budget and the lidar's 15 ms, so the plan waits for it
    red = project.perfgate("check")
    assert red.code == 1
    assert "camera.track.duration 8 ms -> 30 ms" in red.text
    assert "deploy/pipeline.yaml:12" in red.text
    assert "1 regressed" in red.text  # the shipped one did not change
    found = tmp_path / "diagnosis.json"
    assert project.perfgate("diagnose", "-o", str(found)).code == 0
    cause = json.loads(found.read_text())["diagnoses"][0]["causes"][0]
    assert cause["operator"]["name"] == "camera.track"
    assert "bottleneck" in cause["rules"]
    assert cause["proof"]["recovered"] == pytest.approx(1.0)
    planned = project.perfgate("optimize", "--diagnosis", str(found), "-o", "plan")
    assert planned.code == 0, planned.text
    patch = yaml.safe_load((project.folder / "plan/modelbox_adjustment/pipeline_patch.yaml").read_text())
    row = {
        "file": "deploy/pipeline.yaml",
        "path": "stages[2].duration",
        "op": "set",
        "from": "30 ms",
        "to": "8 ms",
    }
    assert patch == [row]
    broken = (project.folder / "deploy/pipeline.yaml").read_bytes()
    assert project.perfgate("optimize", "--apply", "-o", "plan").code == 0
    assert (project.folder / "deploy/pipeline.yaml").read_text() == PIPELINE
    green = project.perfgate("check")
    assert green.code == 0, green.text
    assert project.perfgate("optimize", "--rollback", "plan").code == 0
    assert (project.folder / "deploy/pipeline.yaml").read_bytes() == broken


def test_pytest_compare_and_traces_take_pipelines(project: Project) -> None:
    assert "camera.track.duration 8 ms -> 30 ms" in project.pytest("-p", "no:cacheprovider").text
    for revision, folder in (("HEAD~1", "one"), ("HEAD", "two")):
        assert project.perfgate("record", "--at", revision, "-o", f".perfgate/{folder}").code == 0
    compared = project.perfgate("compare", ".perfgate/one", ".perfgate/two")
    assert compared.code == 1
    assert "camera.track" in compared.text
    trace = project.perfgate("trace", "-k", "perception", "--format", "chrome", "-o", ".perfgate/trace.json")
    assert trace.code == 0, trace.text
    events = json.loads((project.folder / ".perfgate/trace.json").read_text())["traceEvents"]
    spans = {event["name"]: event["dur"] for event in events if event["ph"] == "X"}
    assert spans["camera.track"] == pytest.approx(30_000)  # microseconds
    lanes = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"engine sensor", "engine host", "engine device"} <= lanes


def test_a_broken_pipeline_is_refused_with_its_place(project: Project, tmp_path: Path) -> None:
    other = project.copy(tmp_path / "broken")
    other.replace("deploy/pipeline.yaml", "after: camera.detect,", "after: camera.detct,")
    done = other.perfgate("record", "-k", "perception")
    assert "'camera.detct'" in done.text
    assert "Traceback" not in done.text
