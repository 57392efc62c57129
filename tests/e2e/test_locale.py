"""A machine whose locale knows ASCII only: names in other scripts are names like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.zoo.catalogue import build
from tests.e2e.project import Project

if TYPE_CHECKING:
    from pathlib import Path

ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
SUITE = """\
version: 1
benchmarks:
  - {name: détecteur, model: modèles/é.onnx, devices: [ascend-310p-like]}
"""


@pytest.mark.parametrize("has_git", [True, False])
def test_a_model_with_a_name_beyond_ascii_is_measured(tmp_path: Path, *, has_git: bool) -> None:
    project = Project(tmp_path / "project")
    model = build("sd_unet", "tiny").SerializeToString()
    project.commit("start", {"perf_models.yaml": SUITE, "modèles/é.onnx": model})
    if not has_git:
        (project.folder / ".git").rename(tmp_path / "away")
    done = project.perfgate("record", "-o", "records", **ASCII, GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert done.code == 0, done.text
    assert "détecteur" in done.out
    assert len(list((project.folder / "records").rglob("*.json"))) == 1


def test_the_gate_runs_in_an_ascii_locale(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    model = build("sd_unet", "tiny").SerializeToString()
    project.commit("start", {"perf_models.yaml": SUITE, "modèles/é.onnx": model})
    assert project.perfgate("baseline", "update", "--reason", "first", **ASCII).code == 0
    project.commit("accept")
    done = project.perfgate("check", **ASCII)
    assert done.code == 0, done.text
    absent = SUITE.replace("é.onnx", "ü.onnx")
    project.write({"perf_models.yaml": absent})
    refused = project.perfgate("check", **ASCII)
    assert refused.code == 11, refused.text
    assert "the model is missing: modèles/ü.onnx" in refused.out
