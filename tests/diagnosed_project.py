"""A small repository that a layout flag has made slower: one script compiles two tiny models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.project import Project

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
version: 1
defaults:
  devices: [ascend-310p-like]
  runs: 5
  samples: 20
  metrics: [latency, copied_bytes, peak_memory, energy_j]
  runtime: {from: deploy/runtime.yaml}
  compile: {from: deploy/convert.sh, command: atc}
benchmarks:
  - {name: unet, model: "zoo:sd_unet", preset: tiny}
  - {name: resnet, model: "zoo:resnet50", preset: tiny}
"""
SCRIPT = """\
#!/bin/sh
atc --framework=5 --model=net.onnx --output=net \\
    --precision_mode=force_fp16 \\
    --optypelayout=NHWC
"""
FILES: dict[str, str | bytes] = {
    "perf_models.yaml": SUITE,
    "deploy/convert.sh": SCRIPT,
    "deploy/runtime.yaml": "log_level: info\n",
    ".gitignore": ".perfgate/\n",
}
LAYOUT = ("deploy/convert.sh", "--optypelayout=NHWC", "--optypelayout=NCHW")
SUBJECT = "tidy convert flags \x1b[31m`|<b>"
UNET, RESNET = "unet[ascend-310p-like]", "resnet[ascend-310p-like]"


def build_diagnosed(folder: Path) -> Project:
    """Accepted baselines at `origin/main`; then the flag is turned, and a harmless commit follows."""
    project = Project(folder / "project")
    project.commit("start", FILES)
    done = project.perfgate("baseline", "update", "--reason", "first baselines")
    assert done.code == 0, done.text
    project.commit("accept the first baselines")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    project.replace(*LAYOUT)
    project.commit(SUBJECT)
    project.replace("deploy/convert.sh", "#!/bin/sh\n", "#!/bin/sh\n# converts both models\n\n")
    project.commit("say what the script does")
    return project
