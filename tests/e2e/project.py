"""A user's repository: two models on two devices, accepted baselines, one guardrail; real commands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.warm_start import run_command
from tests.repositories import Repository, clean_environment

SUITE = """\
version: 1
defaults:
  devices: [ascend-310p-like, ascend-910b-like]
  runs: 5
  samples: 20
  metrics: [latency, cycles, copied_bytes, kernel_count, peak_memory]
  runtime: {from: deploy/runtime_config.yaml}
benchmarks:
  - name: resnet50
    model: onnx:light_resnet50
    compile: {from: deploy/resnet.sh, command: atc}
  - name: sd_unet
    model: zoo:sd_unet
    preset: poster
    compile: {from: deploy/convert.sh, command: atc, require_resolved: [--optypelayout]}
"""
RESNET = """\
#!/bin/sh
atc --framework=5 --model=resnet50.onnx --output=resnet50 \\
    --optypelayout=NHWC --precision_mode=force_fp16
"""
CONVERT = """\
#!/bin/sh
atc --framework=5 --model=sd_unet.onnx --output=sd_unet \\
    --precision_mode=force_fp16 \\
    --optypelayout=NHWC
"""
FILES: dict[str, str | bytes] = {
    "perf_models.yaml": SUITE,
    "deploy/resnet.sh": RESNET,
    "deploy/convert.sh": CONVERT,
    "deploy/runtime_config.yaml": "memory_pool: 8GB\npinned_memory: false\n",
    "guardrails.yaml": "atc_convert: require --optypelayout=NHWC\n",
    "perfgate.yaml": 'version: 1\npolicy:\n  - {match: "*", min_effect: 1%}\n',
    ".gitignore": ".perfgate/\n__pycache__/\n.pytest_cache/\n",
}
PLUGINS = ("-p", "perfgate.pytest_plugin.entry", "-p", "xdist.plugin")
BENCHMARKS = 4  # two models on two devices


@dataclass(frozen=True, slots=True)
class Result:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams."""
        return self.out + self.err


class Project(Repository):
    """The user's repository; `run` is a command line of theirs, in an interpreter of its own."""

    def run(self, *arguments: str, **environment: str) -> Result:
        """A program of the test's own environment, in the repository."""
        done = subprocess.run(
            [str(Path(sys.executable).parent / arguments[0]), *arguments[1:]],
            cwd=self.folder,
            env=clean_environment(**environment),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def perfgate(self, *arguments: str, **environment: str) -> Result:
        """`perfgate ...`."""
        return self._started("perfgate", *arguments, **environment)

    def pytest(self, *arguments: str, **environment: str) -> Result:
        """`pytest --perfgate ...` beside xdist alone: loading the other plugins takes .7 s of every start.

        `tests/downstream` has them all.
        """
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment}
        return self._started("pytest", "--perfgate", *PLUGINS, *arguments, **alone)

    def _started(self, *arguments: str, **environment: str) -> Result:
        """As `run`, without an interpreter's start where that makes no difference."""
        words = (str(Path(sys.executable).parent / arguments[0]), *arguments[1:])
        done = run_command(words, self.folder, clean_environment(**environment), seconds=120)
        return Result(done.returncode, done.stdout, done.stderr)

    def replace(self, path: str, old: str, new: str) -> None:
        """Change one text in one file; it has to be there."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    def copy(self, folder: Path) -> Project:
        """An independent copy."""
        shutil.copytree(self.folder, folder)
        copied = object.__new__(Project)
        copied.folder = folder
        return copied


def build_project(folder: Path) -> Project:
    """The repository with committed baselines, and `origin/main` at its head."""
    project = Project(folder / "project")
    project.commit("start", FILES)
    done = project.perfgate("baseline", "update", "--reason", "first baselines")
    assert done.code == 0, done.text
    project.commit("accept the first baselines")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    return project
