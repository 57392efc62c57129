"""Runs the shell steps of the composite action as a runner would: same scripts, same variables, same order.

`uses:` steps and the installation are left out: this environment has Python and perfgate already.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.repositories import clean_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.repositories import Repository

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github" / "actions" / "perfgate" / "action.yml"


@dataclass(frozen=True, slots=True)
class ActionRun:
    """What a run of the action left: exit code of its last step, log, outputs of the gate step, summary."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def run_action(repository: Repository, event: Path, folder: Path, **inputs: str) -> ActionRun:
    """All steps in order for the pull request of the event file; inputs not given have their default."""
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    given = {name: str(item.get("default", "")) for name, item in action["inputs"].items()}
    values = {f"inputs.{name}": value for name, value in (given | dict(inputs)).items()}
    folder.mkdir()
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
    for file in files.values():
        file.touch()
    runner = {
        "CI": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_TOKEN": "a token that nothing may see",
        **{name: str(path) for name, path in files.items()},
    }
    log, code = "", 0
    for step in action["runs"]["steps"]:
        if "run" not in step or step["name"] == "Install perfgate":
            continue
        done = _run(step, repository, runner, values)
        log += done.stdout
        if step.get("id") == "gate":
            outputs = read_outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
            values |= {f"steps.gate.outputs.{name}": value for name, value in outputs.items()}
        code = done.returncode
    return ActionRun(code, log, outputs, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"))


def read_outputs(text: str) -> dict[str, str]:
    """The runner's reading of GITHUB_OUTPUT: `name<<DELIMITER`, lines, the delimiter alone."""
    return {match[1]: match[3] for match in re.finditer(r"(?ms)^([\w-]+)<<(\w+)\n(.*?)\n\2$", text)}


def _run(
    step: Mapping[str, Any], repository: Repository, runner: Mapping[str, str], values: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    def value_of(text: str) -> str:
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: values.get(match[1], ""), text)

    assert step["shell"] == "bash"
    variables = {name: value_of(text) for name, text in step.get("env", {}).items()}
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository.folder,
        env=clean_environment(**runner, **variables, PATH=path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
