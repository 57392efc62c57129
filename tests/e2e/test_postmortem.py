"""`perfgate postmortem` and `perfgate cases`: page, guardrail and case of the incident, in a repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import msgspec
import pytest

from perfgate.core.codec import readable_json
from perfgate.core.diagnosis import Commit
from perfgate.workflow.cases import with_cases
from perfgate.workflow.json_schemas import schema_of
from perfgate.workflow.recording import open_tree
from tests.diagnoses import cause, diagnosis
from tests.validations import validation

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.diagnosis import Diagnosis
    from tests.e2e.project import Project

Run = Callable[..., str]
CONVERT, PAGE = "deploy/convert.sh", "incident.md"
RULES = "atc_convert: require --precision_mode=force_fp16\n"
ASKED = ("postmortem", "--diagnosis", ".perfgate/d.json", "--incident", "sd3 layout")
GUARDRAIL = "atc_convert: require --optypelayout=NHWC"


@pytest.fixture
def incident(project: Project) -> Project:
    """The layout turned by one commit and restored by the next; no guardrail asked for it."""
    base = project.commit("other guardrails", {"guardrails.yaml": RULES})
    project.replace(CONVERT, "NHWC", "NCHW")
    culprit = project.commit("tidy convert flags")
    commit = Commit(
        commit=culprit,
        subject="tidy convert flags",
        author="Ada",
        date="2026-01-01T00:00:00Z",
        relation="touched by",
    )
    found = diagnosis(causes=(msgspec.structs.replace(cause(), commit=commit),), before=base[:7])
    write(project, found)
    return project


def write(project: Project, found: Diagnosis) -> None:
    project.write({".perfgate/d.json": readable_json(found)})


def mend(project: Project) -> None:
    project.replace(CONVERT, "NCHW", "NHWC")
    project.commit("restore the layout")


@pytest.fixture
def run(project: Project) -> Run:
    """A command line; what it printed on standard output, or all of it."""

    def run_it(*arguments: str, code: int = 0, everything: bool = True) -> str:
        done = project.perfgate(*arguments)
        assert done.code == code, done.text
        return done.text if everything else done.out

    return run_it


def answer(text: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    jsonschema.validate(found, schema_of(name), cls=jsonschema.Draft202012Validator)
    return found


def test_the_guardrail_is_added_once_it_rejects_the_culprit_and_accepts_the_head(
    incident: Project, run: Run
) -> None:
    culprit = incident.git("rev-parse", "HEAD")
    mend(incident)
    incident.write({".perfgate/v.json": readable_json(validation())})
    text = run(
        *ASKED,
        "-o",
        PAGE,
        "--validation",
        ".perfgate/v.json",
        "--append-guardrail",
        "--json",
        "-",
        everything=False,
    )
    found = answer(text, "postmortem")
    assert (found["guardrail"], found["is_added"]) == (GUARDRAIL, True)
    assert (incident.folder / "guardrails.yaml").read_text() == f"{RULES}{GUARDRAIL}\n"
    page = (incident.folder / PAGE).read_text()
    assert f"`commit {culprit[:7]}`: rejected" in page
    assert "no guardrail at" in page
    assert "had a baseline at" in page
    assert f"`{culprit[:7]}` `tidy convert flags` (touched by)" in page
    assert "| 2026-01-01 00:00 | fix |" in page  # the date of every scripted commit
    assert "| `latency`" in page
    incident.commit("remember")
    incident.replace(CONVERT, "NHWC", "NCHW")
    assert "must be NHWC" in run("guard", code=1)
    refused = run(*ASKED, "--append-guardrail", "-o", PAGE, code=2)
    assert "the guardrail rejects the present state" in refused


def test_a_guardrail_that_is_there_already_is_not_added_twice(incident: Project, run: Run) -> None:
    mend(incident)
    incident.write({"guardrails.yaml": f"{RULES}{GUARDRAIL}\n"})
    assert "guardrail there already" in run(*ASKED, "-o", PAGE, "--append-guardrail")
    assert (incident.folder / "guardrails.yaml").read_text() == f"{RULES}{GUARDRAIL}\n"
    assert "was there already" in (incident.folder / PAGE).read_text()


def test_before_the_fix_the_guardrail_is_refused_and_nothing_is_written(incident: Project, run: Run) -> None:
    said = run(*ASKED, "-o", PAGE, "--append-guardrail", code=2)
    assert (
        "the guardrail rejects the present state, --optypelayout=NCHW, must be NHWC: deploy/convert.sh:4:5"
        in said
    )
    assert (incident.folder / "guardrails.yaml").read_text() == RULES
    assert not (incident.folder / PAGE).exists()
    assert not (incident.folder / "perf-cases").exists()


def test_a_guardrail_that_lets_the_culprit_pass_is_refused(incident: Project, run: Run) -> None:
    mend(incident)
    write(incident, msgspec.structs.replace(diagnosis(), guardrail="atc_convert: require --output"))
    assert "does not reject" in run(*ASKED, "--append-guardrail", code=2)
    write(incident, msgspec.structs.replace(diagnosis(), guardrail=""))
    assert "names no guardrail" in run(*ASKED, "--append-guardrail", code=2)
    assert (incident.folder / "guardrails.yaml").read_text() == RULES


def test_without_a_commit_the_bad_value_is_put_back_for_the_proof(project: Project, run: Run) -> None:
    """An edit that was never committed: the gate stopped it, or nobody knows the commit."""
    project.write({"guardrails.yaml": RULES})
    write(project, diagnosis())
    text = run(*ASKED, "-o", PAGE, "--append-guardrail")
    assert "rejects --optypelayout=NCHW put back: deploy/convert.sh:4:5: --optypelayout=NCHW" in text
    assert "NHWC" in (project.folder / CONVERT).read_text()


def test_the_culprit_of_a_bisection_counts(incident: Project, run: Run) -> None:
    culprit = incident.git("rev-parse", "HEAD")
    suspect = {"commit": culprit, "subject": "tidy", "author": "Ada", "date": "2026-01-01T00:00:00Z"}
    finding = {"culprit": {"suspects": [suspect], "chance": 0.998}}
    report = {"benchmark": "sd_unet[ascend-310p-like]", "findings": [finding]}
    incident.write({".perfgate/b.json": json.dumps({"results": [report]})})
    page = run(*ASKED, "--bisect", ".perfgate/b.json", everything=False)
    assert "(bisection, probability 0.998)" in page
    assert page.startswith("# Post-mortem: sd3 layout\n")


def test_a_case_is_kept_listed_and_recognised(incident: Project, run: Run) -> None:
    assert "no cases" in run("cases")
    run(*ASKED, "-o", PAGE)
    (file,) = (incident.folder / "perf-cases").iterdir()
    file.write_text(file.read_text().replace("date: 20", "date: 19"))  # as if it had been long ago
    run(*ASKED, "-o", PAGE)  # written again, it keeps its day
    (case,) = answer(run("cases", "--json", "-"), "cases")["cases"]
    assert case["date"].startswith("19")
    assert (case["rule"], case["operator"], case["flag"]) == ("config_flag", "Conv", "--optypelayout")
    assert "sd3 layout" in run("cases")
    (found,) = with_cases([diagnosis()], open_tree(incident.folder))
    assert found.seen_before == (f"{case['date']} sd3 layout",)


def test_a_broken_case_is_said_and_stops_no_diagnosis(incident: Project, run: Run) -> None:
    incident.write({"perf-cases/x.yaml": "version: 2\nnothing: x\n"})
    assert "perf-cases/x.yaml:2:1" in run("cases", code=2)
    (found,) = with_cases([diagnosis()], open_tree(incident.folder))
    assert found.seen_before == ()
    assert found.notes[-1].startswith("earlier cases are not compared: ")


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "\x1b[31m"])
def test_an_incident_has_a_name_on_one_line(incident: Project, run: Run, name: str) -> None:
    asked = [name if word == "sd3 layout" else word for word in ASKED]
    assert "needs a name on one line" in run(*asked, code=2)
    assert not (incident.folder / "perf-cases").exists()


def test_a_diagnosis_without_a_cause_has_no_post_mortem(incident: Project, run: Run) -> None:
    write(incident, diagnosis(causes=(cause(0.2),)))
    assert "has found no cause" in run(*ASKED, code=2)


def test_a_file_that_is_no_validation_is_refused(incident: Project, run: Run, tmp_path: Path) -> None:
    del incident
    assert "cannot be read" in run(*ASKED, "--validation", str(tmp_path / "none.json"), code=2)
    (tmp_path / "v.json").write_text("{}")
    assert "not the expected form" in run(*ASKED, "--validation", str(tmp_path / "v.json"), code=2)
