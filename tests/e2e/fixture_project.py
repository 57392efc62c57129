"""A user's repository whose benchmarks are pytest tests with the `perfgate` fixture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.project import Project

if TYPE_CHECKING:
    from pathlib import Path

MODEL_TEST = """\
import pytest

from perfgate.testing import MiB, perfgate_devices


@pytest.mark.parametrize("device", perfgate_devices("ascend-310p-like", "a100-like"))
def test_unet(perfgate, device):
    result = perfgate.model(
        "zoo:sd_unet", preset="tiny", device=device, compile_from="deploy/convert.sh", compile_command="atc"
    )
    assert 0 < result.metric("peak_memory").value < 64 * MiB
"""
TIMED_TEST = """\
from work import count, fetch


def test_count(perfgate):
    assert perfgate(count, 3000) == 8995500500


def test_fetch(perfgate):
    assert perfgate(fetch) == 3
"""
WORK = """\
import asyncio


def count(n):
    return sum(i * i for i in range(n))


async def fetch():
    for _ in range(50):
        await asyncio.sleep(0)
    return 3
"""
FILES: dict[str, str | bytes] = {
    "tests/test_models.py": MODEL_TEST,
    "tests/test_timed.py": TIMED_TEST,
    "work.py": WORK,
    "pytest.toml": '[pytest]\nstrict = true\nfilterwarnings = ["error"]\npythonpath = ["."]\n',
    "deploy/convert.sh": (
        "atc --framework=5 --model=sd_unet.onnx --output=unet \\\n"
        "    --precision_mode=force_fp16 --optypelayout=NHWC\n"
    ),
    "guardrails.yaml": "atc_convert: require --optypelayout=NHWC\n",
    ".gitignore": "__pycache__/\n.pytest_cache/\nnew/\n",
}
RUNS = "3"  # of timed tests: enough for a verdict, and few processes


def build_test_project(folder: Path) -> Project:
    """The repository with accepted baselines of its tests, and `origin/main` at its head."""
    project = Project(folder / "tests-project")
    project.commit("start", FILES)
    accept(project)
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    return project


def accept(project: Project) -> None:
    """Measure, accept and commit, as the words of a `new` verdict say."""
    done = project.pytest("--perfgate-records", "new", "--perfgate-runs", RUNS, "--perfgate-seed", "1")
    assert done.code == 11, done.text  # nothing compared yet
    assert "and perfgate baseline update --from new --reason" in done.out
    done = project.perfgate("baseline", "update", "--from", "new", "--reason", "first baselines")
    assert done.code == 0, done.text
    project.commit("accept the first baselines")
