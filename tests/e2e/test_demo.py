"""`perfgate demo` walks the whole loop; every step ends as the story tells."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.repositories import clean_environment

if TYPE_CHECKING:
    from pathlib import Path


def demo(folder: Path) -> subprocess.CompletedProcess[str]:
    """The command of a user; a busy machine may take minutes for the dozen commands in it."""
    return subprocess.run(
        [sys.executable, "-m", "perfgate.cli.main", "demo", "poster-service"],
        cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The story, told once."""
    folder = tmp_path_factory.mktemp("demo")
    done = demo(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not as told" not in done.stdout
    return folder / "poster-service", done.stdout


def test_the_story_names_operator_copies_flag_commit_and_fix(told: tuple[Path, str]) -> None:
    text = told[1]
    assert "UNet.mid_block.resnet.1.conv2 (operator #180)" in text
    assert "280 in all" in text  # SIMULATOR section 5: 10 crossings in each of 28 steps
    assert "deploy/convert.sh:7   --optypelayout=NCHW   (baseline: NHWC)" in text
    assert '"tidy convert flags", 3 days ago   (bisection, probability' in text
    assert "recovers 100.0 % of the delta" in text


def test_the_guardrail_stays_and_rejects_what_came_back(told: tuple[Path, str]) -> None:
    folder, text = told
    assert "atc_convert: require --optypelayout=NHWC" in (folder / "guardrails.yaml").read_text()
    assert "--optypelayout=NCHW, must be NHWC" in text.partition("$ perfgate guard\n")[2]
    assert "# Post-mortem: sd3 layout" in (folder / "postmortem.md").read_text()


def test_a_folder_that_holds_something_is_refused(told: tuple[Path, str]) -> None:
    done = demo(told[0].parent)
    assert done.returncode == 2
    assert "the folder is not empty" in done.stderr
