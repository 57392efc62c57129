"""What every verb writes for machines fits the schema that `perfgate doctor --schema` prints for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest
import yaml

from perfgate.workflow.json_schemas import NAMES, schema_of
from tests.result_files import DATA

if TYPE_CHECKING:
    from tests.e2e.project import Project, Result

Json = dict[str, Any]  # a JSON object
SLOW = ("deploy/resnet.sh", "force_fp16", "force_fp32")


def fits(value: Json, name: str) -> Json:
    jsonschema.validate(value, schema_of(name), cls=jsonschema.Draft202012Validator)
    return value


def written(done: Result, name: str) -> Json:
    """Standard output holds the JSON alone, and it says which schema it has."""
    value = fits(json.loads(done.out), name)
    assert value["schema"] == schema_of(name)["$defs"][_top(name)]["properties"]["schema"]["const"]
    return value


def _top(name: str) -> str:
    return str(schema_of(name)["$ref"]).rpartition("/")[2]


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_one_and_is_printed(project: Project, name: str) -> None:
    done = project.perfgate("doctor", "--schema", name)
    assert done.code == 0, done.text
    printed = json.loads(done.out)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed == json.loads(json.dumps(schema_of(name)))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": "another", "version": 1, "surprise": 1}, printed)


def test_the_suites_schema_is_printed_without_a_name_and_unknown_names_are_refused(project: Project) -> None:
    assert json.loads(project.perfgate("doctor", "--schema").out)["title"].startswith("perfgate suite")
    refused = project.perfgate("doctor", "--schema", "nothing")
    assert refused.code == 2
    assert "choose from suite, policy, guardrails, record" in refused.err


def test_green_and_red_checks_fit_the_report(project: Project) -> None:
    green = written(project.perfgate("check", "--json", "-"), "report")
    assert (green["exit_code"], green["verdict"]) == (0, "pass")
    assert green["evidence"]
    assert len({item["benchmark"] + item["device"] for item in green["verdicts"]}) == len(green["traces"])
    project.replace(*SLOW)
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    (project.folder / "baselines/ascend-910b-like/resnet50.json").write_text("{")
    red = written(project.perfgate("check", "--json", "-"), "report")
    assert (red["exit_code"], red["verdict"]) == (1, "fail")
    assert red["skipped"]
    assert red["unusable"]
    assert red["explanations"]
    tested = project.pytest("--perfgate-json", "report.json")
    assert tested.code == 1
    assert fits(json.loads((project.folder / "report.json").read_text()), "report")["exit_code"] == 1


def test_records_comparisons_and_profiles_fit(project: Project) -> None:
    arguments = ("record", "-k", "resnet50", "--device", "ascend-310p-like", "--json", "-")
    old = written(project.perfgate(*arguments, "-o", "old", "--profile"), "recording")
    assert old["commit"] == ""
    path = project.folder / old["records"][0]["path"]
    recorded = fits(json.loads(path.read_text()), "record")
    assert recorded["digest"].startswith(old["records"][0]["trace_id"])
    fits(json.loads(path.with_name("resnet50.profile.json").read_text()), "profile")
    project.replace(*SLOW)
    levels = ("--levels", "application,operators", "--seed", "5")
    new = written(project.perfgate(*arguments, "-o", "new", *levels), "recording")
    assert new["records"][0]["values"]["latency"] > old["records"][0]["values"]["latency"]
    part = json.loads((project.folder / "new/ascend-310p-like/resnet50.profile.json").read_text())
    fits(part, "profile-part")
    assert part["operators"]
    assert part["application"]["total_ps"] > 0
    assert part["kernels"] is None
    compared = written(project.perfgate("compare", "old", "new", "--json", "-"), "compare")
    assert (compared["exit_code"], compared["verdict"]) == (1, "fail")


def test_guard_selftest_doctor_and_init_fit(project: Project) -> None:
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    guarded = written(project.perfgate("guard", "--json", "-"), "guard")
    assert guarded["findings"]
    assert project.perfgate("guard", "--format", "json").out == project.perfgate("guard", "--json", "-").out
    project.git("checkout", "-q", ".")
    device = ("--device", "ascend-310p-like")
    assert written(project.perfgate("selftest", "-k", "2", *device, "--json", "-"), "selftest")["sets"] == 2
    assert written(project.perfgate("selftest", "--calibration", "--json", "-"), "calibration")["rows"]
    topics = {line["topic"] for line in written(project.perfgate("doctor", "--json", "-"), "doctor")["lines"]}
    assert topics >= {"versions", "git", "policy", "baselines", "clock", "CPU governor", "guardrails"}
    assert written(project.perfgate("init", "--dry-run", "--json", "-"), "init")["is_written"] is False


def test_the_baseline_verbs_fit(project: Project) -> None:
    listed = written(project.perfgate("baseline", "list", "--json", "-"), "baseline-list")
    assert len(listed["baselines"]) == 4
    name = "resnet50[ascend-310p-like]"
    shown = project.perfgate("baseline", "show", name, "--json", "-")
    stored = (project.folder / "baselines/ascend-310p-like/resnet50.json").read_text()
    assert shown.out == stored
    fits(json.loads(stored), "record")
    project.replace(*SLOW)
    project.commit("slow")
    update = ("baseline", "update", "--reason", "r", "--accept-regression", "a", "--json", "-")
    updated = written(project.perfgate(*update), "baseline-update")
    assert sorted(item["is_kept"] for item in updated["files"]) == [False, False, True, True]
    differing = written(project.perfgate("baseline", "diff", "--json", "-"), "baseline-diff")
    assert {change["key"] for change in differing["changes"]} == {name, "resnet50[ascend-910b-like]"}
    assert all(change["worse_by"] > 0 for change in differing["changes"] if change["metric"] == "latency")
    project.replace("perf_models.yaml", "name: resnet50", "name: resnet_fifty")
    pruned = written(project.perfgate("baseline", "prune", "--json", "-"), "baseline-prune")
    assert len(pruned["unused"]) == 2
    assert pruned["is_removed"] is False


def test_what_was_imported_fits(project: Project) -> None:
    results = str(DATA / "google_benchmark_aggregates_only.json")
    imported = written(project.perfgate("import", results, "-o", ".perfgate/i", "--json", "-"), "import")
    assert imported["records"]


@pytest.mark.parametrize(
    ("path", "name"),
    [("perf_models.yaml", "suite"), ("perfgate.yaml", "policy"), ("guardrails.yaml", "guardrails")],
)
def test_the_files_that_people_write_fit_theirs(project: Project, path: str, name: str) -> None:
    fits(yaml.safe_load((project.folder / path).read_text()), name)
