"""`perfgate init`: in each kind of repository the gate runs two commands later; nothing is overwritten."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from perfgate.measure.suite import load_suite
from perfgate.zoo.catalogue import build
from tests.e2e.project import Project

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL = build("sd_unet", "tiny").SerializeToString()
ATC = "atc --framework=5 --model={model} --output=out --optypelayout=NHWC --precision_mode=force_fp16\n"
COMPILED = {".gitignore": "__pycache__/\n"}  # as of everybody who runs pytest: it is no change
BENCHMARKED = "def test_sum(benchmark):\n    assert benchmark(sum, [1, 2]) == 3\n"
OURS = Path(__file__).resolve().parents[2] / ".github"


def snapshot(project: Project) -> dict[str, bytes]:
    return {
        path.relative_to(project.folder).as_posix(): path.read_bytes()
        for path in project.folder.rglob("*")
        if path.is_file() and not {".git", "__pycache__", ".pytest_cache"} & set(path.parts)
    }


def new_project(folder: Path, files: Mapping[str, str | bytes]) -> Project:
    project = Project(folder / "new")
    project.commit("start", files)
    return project


def suite_of(project: Project, path: str = "perf_models.yaml") -> str:
    return (project.folder / path).read_text(encoding="utf-8")


def adopt(project: Project, *, new: int, plugins: tuple[str, ...] = ()) -> None:
    """Init, twice; then the two commands it names; then both faces are green."""
    first = project.perfgate("init")
    assert first.code == 0, first.text
    assert "pytest --perfgate" in first.out
    assert 'perfgate baseline update --reason "first baselines"' in first.out
    before = snapshot(project)
    again = project.perfgate("init")
    assert again.code == 0, again.text
    assert snapshot(project) == before
    project.commit("Add a performance gate")
    asked = project.pytest(*plugins)
    assert asked.code == 11, asked.text
    assert f"{new} new" in asked.out
    assert snapshot(project) == before
    accepted = project.perfgate("baseline", "update", "--reason", "first baselines")
    assert accepted.code == 0, accepted.text
    project.commit("first baselines")
    for done in (project.pytest(*plugins), project.perfgate("check")):
        assert done.code == 0, done.text


def test_an_empty_repository_gets_an_example_of_the_zoo(tmp_path: Path) -> None:
    project = Project(tmp_path / "new")
    shown = project.perfgate("init", "--dry-run")
    assert "no ONNX file here, so perf_models.yaml measures an example of the zoo" in shown.out
    assert "nothing was written" in shown.out
    assert snapshot(project) == {}
    adopt(project, new=2)


def test_models_with_their_scripts_and_runtime_files(tmp_path: Path) -> None:
    project = new_project(
        tmp_path,
        {
            "models/unet.onnx": MODEL,
            "other/unet.onnx": MODEL,
            "deploy/convert.sh": ATC.format(model="../models/unet.onnx"),
            "deploy/runtime_config.yaml": "runtime_config:\n  memory_pool: 8GB\n  pinned_memory: false\n",
            "else/runtime_config.yaml": "pinned_memory: true\n",
        },
    )
    adopt(project, new=4)
    first, _, second, _ = load_suite(suite_of(project).encode(), "perf_models.yaml")
    assert (first.name, first.model, second.name) == ("unet", "models/unet.onnx", "other-unet")
    assert (first.compile.path, first.compile.program) == ("deploy/convert.sh", "atc")
    assert (first.runtime.path, first.runtime.key) == ("deploy/runtime_config.yaml", "runtime_config")
    assert second.runtime.path is None
    assert "require --optypelayout=NHWC" in (project.folder / "guardrails.yaml").read_text()
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    assert project.perfgate("check").code == 1


def test_tests_of_pytest_benchmark_stay_and_the_gate_stands_beside_them(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"tests/test_speed.py": BENCHMARKED, **COMPILED})
    shown = project.perfgate("init", "--dry-run").out
    assert (
        "found 0 models, 0 compile commands, 0 runtime files, 1 timed tests; pytest not configured" in shown
    )
    assert "1 tests in 1 files take pytest-benchmark's fixture" in shown
    assert "`perfgate(fn, ...)` takes the same callable as `benchmark(fn, ...)`" in shown
    assert "`perfgate import` reads the JSON" in shown
    adopt(project, new=2, plugins=("-p", "pytest_benchmark.plugin"))
    assert (project.folder / "tests/test_speed.py").read_text() == BENCHMARKED


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'),
        ("pytest.ini", "[pytest]\ntestpaths = tests more\n"),
        ("setup.cfg", "[tool:pytest]\ntestpaths =\n    tests\n"),
    ],
)
def test_the_suite_stands_where_pytest_looks(tmp_path: Path, path: str, text: str) -> None:
    files = {path: text, "tests/test_a.py": "def test_a(): pass\n", "models/m.onnx": MODEL}
    project = new_project(tmp_path, files | COMPILED)
    adopt(project, new=2)
    assert "model: ../models/m.onnx" in suite_of(project, "tests/perf_models.yaml")
    assert not (project.folder / "perf_models.yaml").exists()


def test_what_cannot_be_measured_stands_as_a_comment_with_the_reason(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    project = new_project(
        tmp_path,
        {
            "a/broken.onnx": b"no model",
            "a/pointer.onnx": pointer,
            "a/new\nline é.onnx": MODEL,
            "a/good.onnx": MODEL,
            "a/convert.sh": ATC.format(model="good.onnx").replace("NHWC", "$LAYOUT_OF_THE_MACHINE"),
        },
    )
    shown = project.perfgate("init")
    assert "note: a/broken.onnx is not measured: " in shown.out
    assert "git lfs pull" in shown.out
    suite = yaml.safe_load(suite_of(project))
    assert sorted(entry["model"] for entry in suite["benchmarks"]) == ["a/good.onnx", "a/new\nline é.onnx"]
    assert all("compile" not in entry for entry in suite["benchmarks"])
    assert "# left out, the value of --optypelayout cannot be told from the file" in suite_of(project)
    adopt(project, new=4)


def test_two_commands_for_one_model_are_named_and_none_is_chosen(tmp_path: Path) -> None:
    script = ATC.format(model="m.onnx")
    project = new_project(tmp_path, {"m.onnx": MODEL, "a.sh": script, "b.sh": script})
    assert project.perfgate("init").code == 0
    assert "# 2 commands compile it (a.sh:1:1, b.sh:1:1): choose one" in suite_of(project)


def test_force_overwrites_what_differs_and_says_so(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"perfgate.yaml": "version: 1\n", "m.onnx": MODEL})
    kept = project.perfgate("init")
    assert re.search(r"perfgate\.yaml +keep", kept.out)
    assert (project.folder / "perfgate.yaml").read_text() == "version: 1\n"
    forced = project.perfgate("init", "--force")
    assert re.search(r"perfgate\.yaml +overwrite", forced.out)
    assert re.search(r"perf_models\.yaml +same", forced.out)
    assert "min_effect" in (project.folder / "perfgate.yaml").read_text()


def test_a_suite_that_is_there_gets_no_second_one(tmp_path: Path) -> None:
    text = "version: 1\nbenchmarks: [{name: a, model: zoo:resnet50, devices: [orin-like]}]\n"
    project = new_project(tmp_path, {"bench/perf_own.yaml": text, "m.onnx": MODEL})
    report = json.loads(project.perfgate("init", "--json", "-").out)
    assert report["files"][0] == {"path": "bench/perf_own.yaml", "step": "same", "reason": "a suite is there"}
    assert not (project.folder / "perf_models.yaml").exists()


def test_only_one_line_is_added_to_what_git_ignores(tmp_path: Path) -> None:
    project = new_project(tmp_path, {".gitignore": b"\xff.bin\nbuild"})
    assert re.search(r"\.gitignore +append", project.perfgate("init").out)
    assert (project.folder / ".gitignore").read_bytes() == b"\xff.bin\nbuild\n.perfgate/\n"


@pytest.mark.parametrize(("branch", "written"), [("trunk", "trunk"), ("rel,v1+", "'rel,v1\\+'")])
def test_the_workflow_is_pinned_for_the_default_branch_and_clean(
    tmp_path: Path, branch: str, written: str
) -> None:
    project = new_project(tmp_path, {"m.onnx": MODEL})
    project.git("branch", "-m", branch)
    assert project.perfgate("init", "--github").code == 0
    file = project.folder / ".github/workflows/perfgate.yml"
    text = file.read_text()
    assert f"branches: [{written}]" in text
    ours = "\n".join(path.read_text(encoding="utf-8") for path in OURS.rglob("*.yml"))
    used = re.findall(r"uses: (.*)", text)
    assert len(used) == 3
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", item) and item in ours for item in used)
    loaded = yaml.safe_load(text)
    assert loaded["permissions"] == {}
    assert loaded["jobs"]["gate"]["permissions"] == {"contents": "read"}
    for step in loaded["jobs"]["gate"]["steps"]:
        assert "${{" not in step.get("run", "")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GH_", "GITHUB_"))
    }
    zizmor = [str(Path(sys.executable).parent / "zizmor"), "--offline", "--quiet", "--format=json", str(file)]
    done = subprocess.run(zizmor, capture_output=True, text=True, check=False, env=environment)
    assert json.loads(done.stdout) == []
