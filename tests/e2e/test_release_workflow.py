"""The release workflow's own scripts, with a `gh` that only writes down what it is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.e2e.composite_action import ROOT
from tests.repositories import clean_environment

if TYPE_CHECKING:
    from tests.e2e.project import Project

WORKFLOW = ROOT / ".github" / "workflows" / "perfgate-release.yml"
GH = '#!/bin/sh\necho "$@" >> "$GH_LOG"\n'


class Release:
    """A tagged checkout with an origin to push to."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.project = project
        project.git("init", "-q", "--bare", str(folder / "origin.git"))
        project.git("remote", "add", "origin", str(folder / "origin.git"))
        project.git("push", "-q", "origin", "HEAD:refs/heads/main")
        programs = folder / "bin"
        programs.mkdir()
        (programs / "gh").write_text(GH, encoding="utf-8")
        (programs / "gh").chmod(0o755)
        self.log = folder / "gh.log"
        self.log.touch()
        self.path = f"{programs}:{Path(sys.executable).parent}:/usr/bin:/bin"

    def run(self) -> int:
        """The scripts of the job after the installation, up to the first that fails."""
        steps = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]["baselines"]["steps"]
        scripts = [step["run"] for step in steps if "run" in step and step["name"] != "Install perfgate"]
        variables = {"TAG": "v1.3", "DEFAULT_BRANCH": "main", "GH_TOKEN": "t", "GH_LOG": str(self.log)}
        for script in scripts:
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                cwd=self.project.folder,
                env=clean_environment(**variables, PATH=self.path),
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            if done.returncode:
                return done.returncode
        return 0

    def branches(self) -> list[str]:
        """Branches of the origin."""
        listed = self.project.git("ls-remote", "--heads", "origin")
        return sorted(line.split("\t")[1].removeprefix("refs/heads/") for line in listed.splitlines())


@pytest.fixture
def release(project: Project, tmp_path: Path) -> Release:
    return Release(project, tmp_path)


def test_a_release_that_is_not_slower_proposes_its_baselines_and_leaves_main_alone(release: Release) -> None:
    suite = release.project.folder / "perf_models.yaml"
    added = "  - {name: fresh, model: zoo:sd_unet, preset: tiny}\n"
    suite.write_text(suite.read_text("utf-8") + added, "utf-8")
    release.project.commit("one more benchmark")
    main = release.project.git("ls-remote", "origin", "refs/heads/main")
    assert release.run() == 0
    assert release.branches() == ["main", "perfgate/baselines-v1.3"]
    assert release.project.git("ls-remote", "origin", "refs/heads/main") == main
    assert "pr create --base main --head perfgate/baselines-v1.3" in release.log.read_text("utf-8")
    changed = release.project.git("show", "--name-only", "--format=%s", "origin/perfgate/baselines-v1.3")
    subject, _, files = changed.partition("\n\n")
    assert subject == "Accept the baselines of v1.3"
    assert files.split() == [
        f"baselines/{device}/fresh.json" for device in ("ascend-310p-like", "ascend-910b-like")
    ]


def test_a_release_that_changes_nothing_proposes_nothing(release: Release) -> None:
    assert release.run() == 0
    assert release.branches() == ["main"]
    assert release.log.read_text("utf-8") == ""


def test_a_regression_since_the_last_release_is_red_and_proposes_nothing(release: Release) -> None:
    release.project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    release.project.commit("slower")
    assert release.run() == 1
    assert release.branches() == ["main"]
    assert release.log.read_text("utf-8") == ""
