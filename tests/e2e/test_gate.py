"""The gate on a user's repository, by the real commands: what is green, what is red, and what it says."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.e2e.project import BENCHMARKS

if TYPE_CHECKING:
    from tests.e2e.project import Project

# SIMULATOR section 5: 4,177,920 B per crossing, 10 crossings a step, 28 steps, both directions.
COPIED = "2.34 GB"
LAYOUT = ("deploy/convert.sh", "--optypelayout=NHWC", "--optypelayout=NCHW")


def outcome(text: str) -> str:
    """The closing line of pytest itself."""
    return re.sub(r" in [0-9.]+s.*", "", text.strip().splitlines()[-1]).strip("= ")


def test_an_unchanged_repository_is_green_in_both_faces(project: Project) -> None:
    checked = project.perfgate("check")
    assert checked.code == 0, checked.text
    assert f"0 regressed, 0 inconclusive, {BENCHMARKS} unchanged" in checked.out
    assert "verdict: PASS (exit 0)" in checked.out
    tested = project.pytest()
    assert tested.code == 0, tested.text
    assert outcome(tested.out) == f"{BENCHMARKS + 1} passed"
    base = project.git("rev-parse", "--short=7", "HEAD")
    for word in (
        base,
        "merge-base with origin/main",
        "ascend-310p-like",
        "ascend-910b-like",
        "family error 5%",
    ):
        assert word in tested.out


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_flipped_layout_flag_is_stopped_by_the_guardrail_at_its_line(
    project: Project, arguments: tuple[str, ...]
) -> None:
    project.replace(*LAYOUT)
    done = project.pytest(*arguments)
    assert done.code == 1, done.text
    assert "deploy/convert.sh:4:5" in done.out
    assert "must be NHWC" in done.out
    assert "FAILED guardrails.yaml::atc_convert/require/--optypelayout" in done.out
    assert outcome(done.out) == "1 failed, 2 passed, 2 skipped"


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_measured_in_spite_of_the_guardrail_the_copies_are_named(
    project: Project, arguments: tuple[str, ...]
) -> None:
    project.replace(*LAYOUT)
    done = project.pytest("--perfgate-on-guardrail", "measure", *arguments)
    assert done.code == 1, done.text
    text = done.out[done.out.index("regressed: latency") :]
    assert "on ascend-310p-like" in text.splitlines()[0]
    change = float(re.search(r"latency \+([0-9.]+) %", text)[1])  # type: ignore[index]  # asserted above
    assert change >= 100  # at least 2x
    assert f"copies between host and device: 0 B -> {COPIED}" in text
    assert "mid_block.resnet.1.conv2" in text
    assert "deploy/convert.sh:4 --optypelayout NHWC -> NCHW" in text


def test_without_the_rule_in_base_the_measurement_alone_is_red(project: Project) -> None:
    project.git("rm", "-q", "guardrails.yaml")
    project.commit("no rules")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    project.replace(*LAYOUT)
    done = project.pytest("-k", "sd_unet")
    assert done.code == 1, done.text
    assert "regressed: latency" in done.out
    assert "2 of 4 selected: a partial verdict" in done.out


def test_a_rule_that_the_change_removes_still_counts(project: Project) -> None:
    project.replace(*LAYOUT)
    project.git("rm", "-q", "guardrails.yaml")
    project.commit("hide it")
    done = project.perfgate("check")
    assert done.code == 1, done.text
    assert "rule-weakened" in done.out
    assert "deploy/convert.sh:4:5" in done.out
    assert "guardrails.yaml: removed" in done.out


def test_full_precision_regresses_by_compute_on_both_devices_without_copies(project: Project) -> None:
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    done = project.pytest()
    assert done.code == 1, done.text
    assert outcome(done.out).startswith("2 failed")
    for device in ("ascend-310p-like", "ascend-910b-like"):
        assert re.search(rf"regressed: latency \+[0-9.]+ %.* on {device}", done.out)
    assert "copies between host and device" not in done.out
    assert "--precision_mode force_fp16 -> force_fp32" in done.out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#!/bin/sh\n", "#!/bin/sh\n# a remark: --optypelayout=NCHW\n\n"),
        (" \\\n    --precision_mode", "   \\\n        --precision_mode"),
        (
            "--precision_mode=force_fp16 \\\n    --optypelayout=NHWC",
            "--optypelayout=NHWC \\\n    --precision_mode=force_fp16",
        ),
    ],
    ids=["comment", "white space", "order"],
)
def test_a_change_of_form_changes_no_verdict(project: Project, old: str, new: str) -> None:
    project.replace("deploy/convert.sh", old, new)
    done = project.perfgate("check")
    assert done.code == 0, done.text
    assert f"{BENCHMARKS} unchanged" in done.out


def test_junit_and_last_failed_see_ordinary_failures(project: Project) -> None:
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    arguments = ("--perfgate-device", "ascend-310p-like")
    done = project.pytest("--junitxml", "junit.xml", *arguments)
    assert done.code == 1, done.text
    suite = ET.parse(project.folder / "junit.xml").getroot()[0]  # noqa: S314 - our own file
    assert suite.attrib["failures"] == "1"
    assert suite.attrib["tests"] == "3"
    case = next(item for item in suite if item.attrib["name"] == "resnet50[ascend-310p-like]")
    properties = {item.attrib["name"]: item.attrib["value"] for item in case.iter("property")}
    assert properties["perfgate.verdict"] == "regressed"
    assert properties["perfgate.metric"] == "latency"
    again = project.pytest("--lf", *arguments)
    assert again.code == 1, again.text
    assert outcome(again.out).startswith("1 failed")
    assert "passed" not in outcome(again.out)


@pytest.mark.parametrize("is_committed", [False, True])
def test_edited_baselines_do_not_hide_a_slow_down(project: Project, *, is_committed: bool) -> None:
    project.git("checkout", "-q", "-b", "topic")
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    project.commit("slower")
    accepted = project.perfgate("baseline", "update", "--reason", "hide", "--accept-regression", "hidden")
    assert accepted.code == 0, accepted.text
    if is_committed:
        project.commit("hide it")
    done = project.pytest()
    assert done.code == 1, done.text
    assert "this change edits the gate:" in done.out
    assert re.search(r"baselines/ascend-310p-like/resnet50.json: accepts \+[0-9.]+ %", done.out)
    assert "regressed: latency" in done.out


def test_the_json_report_says_what_the_terminal_says(project: Project) -> None:
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    done = project.perfgate("check", "--json", "-")
    assert done.code == 1
    report = json.loads(done.out)
    assert report["exit_code"] == 1
    verdicts = {(item["benchmark"], item["device"]): item["verdict"] for item in report["verdicts"]}
    assert len(verdicts) == BENCHMARKS
    assert verdicts["resnet50", "ascend-310p-like"] == "regressed"
    assert verdicts["sd_unet", "ascend-310p-like"] == "unchanged"
    files = ("--perfgate-json", "report.json", "--perfgate-markdown", "r.md", "--perfgate-sarif", "r.sarif")
    tested = project.pytest(*files, "--perfgate-records", "kept")
    assert tested.code == 1
    assert "2 of 4 benchmarks regressed" in (project.folder / "r.md").read_text()
    assert json.loads((project.folder / "r.sarif").read_text())["version"] == "2.1.0"
    kept = [path.name for path in (project.folder / "kept").rglob("*.json")]
    assert sum(name.endswith(".profile.json") for name in kept) == 2  # of what regressed
    assert len(kept) == BENCHMARKS + 2
    written = json.loads((project.folder / "report.json").read_text())
    assert {(item["benchmark"], item["device"]): item["verdict"] for item in written["verdicts"]} == verdicts
