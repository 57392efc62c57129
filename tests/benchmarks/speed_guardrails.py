"""Speed of the guardrails: a generated repository of 500 files, and ten times as many for the ratio."""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
import time
from pathlib import Path

from perfgate.workflow.guarding import check_guardrails
from perfgate.workflow.worktree import WorkTree

RULES = "atc_convert: require --optypelayout=NHWC\ntrtexec: forbid --best\n"
SHELL = """\
#!/bin/bash
set -e
NAME=model_{number}
for SOC in Ascend310P3 Ascend910B4; do
  atc --framework=5 --model=$NAME.onnx --output=$NAME --soc_version=$SOC --optypelayout=NHWC
done
trtexec --onnx=$NAME.onnx --fp16 > log_{number}.txt
"""
YAML = """\
name: convert {number}
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: |
          atc --framework=5 --model=m{number}.onnx --output=m{number} \\
            --optypelayout=NHWC
"""
PYTHON = """\
import subprocess
name = "m{number}"
subprocess.run(["atc", "--framework=5", f"--model={{name}}.onnx", "--optypelayout=NHWC"], check=True)
"""
OTHER = "# Notes {number}\n\nNothing here is compiled.\n" * 20


def build_tree(folder: Path, files: int) -> None:
    """6 % shell, 6 % YAML and 2 % Python files with commands, the rest without any."""
    folder.mkdir(parents=True)
    (folder / "guardrails.yaml").write_text(RULES)
    for number in range(files):
        share = number % 50
        text, ending = (SHELL, "sh") if share < 3 else (YAML, "yml") if share < 6 else (OTHER, "md")
        if share == 6:
            text, ending = PYTHON, "py"
        place = folder / f"part{number % 20}" / f"file{number}.{ending}"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text.format(number=number) if text is not OTHER else OTHER)


def seconds(folder: Path) -> tuple[float, int]:
    """CPU time of one check, and how many commands it read."""
    start = time.process_time()
    run = check_guardrails(WorkTree(folder, None), None, dt.date(2026, 11, 29))
    return time.process_time() - start, run.evaluation.commands


def main() -> None:
    """Print both sizes and their ratio; the aim is 3 CPU s for 500 files, and at most linear growth."""
    with tempfile.TemporaryDirectory() as temporary:
        times = {}
        for files in (500, 5000):
            build_tree(Path(temporary) / str(files), files)
            times[files], commands = min(seconds(Path(temporary) / str(files)) for _ in range(3))
            sys.stdout.write(f"guardrails, {files} files, {commands} commands: {times[files]:.2f} CPU s\n")
        sys.stdout.write(f"  5000 against 500 files: x{times[5000] / times[500]:.1f} (10 is linear)\n")


if __name__ == "__main__":
    main()
