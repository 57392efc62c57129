"""A pull request on GitHub from push to comment: the action's own steps, then the comment workflow's code."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING

import pytest

from perfgate.workflow.ci_comment import comment_on_run
from perfgate.workflow.ci_transport import Answer
from perfgate.workflow.options import GateOptions
from tests.e2e.composite_action import ActionRun, run_action
from tests.github_server import HEAD, Server, run_event, zipped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project

TODAY = dt.date(2026, 11, 29)
CONFTEST = """\
import sys
import pytest
print("::set-output name=verdict::pass")
sys.stderr.write("::error::from the change\\n")

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    session.exitstatus = 0
"""


def pull_request_event(folder: Path) -> Path:
    path = folder / "event.json"
    path.write_text(json.dumps({"pull_request": {"number": 7, "head": {"sha": HEAD}}}), encoding="utf-8")
    return path


def merged(project: Project) -> None:
    """The working tree as a commit on a branch, and HEAD as GitHub's merge of it into main."""
    project.git("checkout", "-q", "-b", "feature")
    project.commit("the change")
    project.git("checkout", "-q", "main")
    project.git("merge", "-q", "--no-ff", "-m", "merge", "feature")


def delivered(project: Project, name: str = "perfgate-records-linux") -> dict[str, bytes]:
    """What the action uploads, zipped as GitHub does."""
    folder = project.folder / ".perfgate" / "ci" / name
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    return {name: zipped(files)}


@pytest.fixture(scope="module")
def red(template: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, ActionRun]:
    """A change that is slower, loosens the policy, deletes its baseline, prints commands and ends with 0."""
    folder = tmp_path_factory.mktemp("red")
    project = template.copy(folder / "project")
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    project.replace("perfgate.yaml", "min_effect: 1%", "min_effect: 80%")
    for path in (project.folder / "baselines").rglob("resnet50*.json"):
        path.unlink()
    (project.folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    merged(project)
    inputs = {
        "records-artifact": "perfgate-records-linux",
        "args": "-k 'resnet50 or atc' -s",
        "page": "true",
    }
    return project, run_action(project, pull_request_event(folder), folder / "runner", **inputs)


def test_a_regression_has_all_its_reports_and_then_the_gates_code(red: tuple[Project, ActionRun]) -> None:
    project, run = red
    assert run.code == 1, run.log
    assert run.outputs["exit-code"] == "1"
    assert run.outputs["verdict"] == "fail"
    assert json.loads((project.folder / run.outputs["report"]).read_text("utf-8"))["exit_code"] == 1
    page = (project.folder / run.outputs["page"]).read_text("utf-8").partition("</header>")[0]
    assert "resnet50 on ascend-" in page
    assert "REGRESSED latency +" in page
    assert run.summary.startswith("### ❌ perfgate: 2 of 2 benchmarks regressed — `resnet50` latency **+")
    assert "`perfgate.yaml`" in run.summary
    assert "`--precision_mode` `force_fp16` → `force_fp32`" in run.summary
    assert re.search(r"(?m)^::error file=deploy/resnet\.sh,line=3,title=perfgate%3A resnet50\[", run.log)


def test_commands_that_the_change_prints_are_fenced(red: tuple[Project, ActionRun]) -> None:
    _, run = red
    opening = re.search(r"(?m)^::stop-commands::([0-9a-f]{64})$", run.log)
    assert opening is not None
    end = run.log.index(f"\n::{opening[1]}::\n")
    for command in ("::set-output name=verdict::pass", "::error::from the change"):
        assert opening.end() < run.log.index(command) < end
        assert command not in run.log[end:]


def test_the_comment_is_judged_again_by_the_default_branch(
    red: tuple[Project, ActionRun], template: Project
) -> None:
    project, _ = red
    names = project.git("diff", "--name-only", "HEAD^1", "HEAD").splitlines()
    listed = [{"filename": name, "status": "modified"} for name in names]
    server = Server(artefacts=delivered(project), files=listed)
    options = GateOptions(root=template.folder, base="HEAD")
    for _ in range(2):  # a second push renews the same comment
        (posted,) = comment_on_run(run_event(), server.api(), options, TODAY)
        assert posted.problem == ""
    (comment,) = server.comments
    text = str(comment["body"])
    assert text.startswith("<!-- perfgate:linux -->\n### ❌ perfgate: 2 of 2 benchmarks regressed")
    assert "`deploy/resnet.sh:3:" in text
    assert "this change edits the gate" in text
    assert "`perfgate.yaml` `changed`" in text
    assert "2 not selected" in text
    base = template.git("rev-parse", "--short=7", "HEAD")
    assert f"baselines from `{base}`" in text
    assert f"head `{HEAD[:7]}`" in text


@pytest.mark.parametrize("status", [0, 403, 404, 422, 500])
def test_a_comment_that_cannot_be_posted_changes_nothing_else(
    red: tuple[Project, ActionRun], template: Project, status: int
) -> None:
    project, run = red
    refused = Answer(status=status, reason="no")
    server = Server(artefacts=delivered(project), broken={"POST .*": refused})
    (posted,) = comment_on_run(
        run_event(), server.api(), GateOptions(root=template.folder, base="HEAD"), TODAY
    )
    assert "no" in posted.problem
    assert run.code == 1


def test_a_deleted_benchmark_and_a_stopped_one_are_red_in_the_comment(
    project: Project, template: Project, tmp_path: Path
) -> None:
    project.replace("deploy/convert.sh", "NHWC", "NCHW")  # breaks the guardrail
    suite = (project.folder / "perf_models.yaml").read_text("utf-8")
    kept = re.sub(r"(?s)  - name: resnet50.*?(?=  - name: sd_unet)", "", suite)
    (project.folder / "perf_models.yaml").write_text(kept, "utf-8")
    merged(project)
    run = run_action(project, pull_request_event(tmp_path), tmp_path / "runner")
    assert run.code == 1, run.log
    server = Server(artefacts=delivered(project, "perfgate-records"))
    (posted,) = comment_on_run(
        run_event(), server.api(), GateOptions(root=template.folder, base="HEAD"), TODAY
    )
    assert posted.problem == ""
    text = str(server.comments[0]["body"])
    assert text.count(" | missing |") == 2
    assert text.count(" | not measured |") == 2
    assert "`deploy/convert.sh:4:5` `--optypelayout=NCHW, must be NHWC`" in text


def test_an_unchanged_pull_request_is_one_green_line(
    project: Project, template: Project, tmp_path: Path
) -> None:
    merged(project)
    run = run_action(project, pull_request_event(tmp_path), tmp_path / "runner", summary="true")
    assert run.code == 0, run.log
    assert run.outputs["verdict"] == "pass"
    assert run.summary.startswith("### ✅ perfgate: all 4 benchmarks green")
    server = Server(artefacts=delivered(project, "perfgate-records"))
    options = GateOptions(root=template.folder, base="HEAD")
    comment_on_run(run_event(conclusion="success"), server.api(), options, TODAY)
    assert server.comments[0]["body"] == "<!-- perfgate:gate -->\n### ✅ perfgate: all 4 benchmarks green"
    comment_on_run(run_event(conclusion="failure"), server.api(), options, TODAY)  # red for another reason
    assert "The workflow run itself ended as `failure`" in str(server.comments[0]["body"])


def test_a_base_that_is_not_in_the_clone_is_said_in_the_summary(project: Project, tmp_path: Path) -> None:
    merged(project)
    shallow = project.clone(tmp_path / "shallow", "--depth=1")
    run = run_action(shallow, pull_request_event(tmp_path), tmp_path / "runner")
    assert run.code == 12, run.log
    assert "set fetch-depth: 2 in actions/checkout" in run.log
    assert run.outputs["verdict"] == "no verdict"
    assert run.summary == "### ❌ perfgate: it ended before the decision (exit 12); the log says why\n"
