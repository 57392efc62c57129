"""The verbs of the command line beside `check`: each by the real command, with its exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def test_the_doctor_finds_a_healthy_and_a_sick_repository(project: Project) -> None:
    healthy = project.perfgate("doctor")
    assert healthy.code == 0, healthy.text
    assert "BAD" not in healthy.out
    project.replace("perf_models.yaml", "  - name: resnet50", "  - name: resnet_fifty")
    project.write({"guardrails.yaml": "atc_convert: [require\n"})
    sick = project.perfgate("doctor")
    assert sick.code == 1
    assert "BAD baselines" in sick.out
    assert "BAD guardrails" in sick.out


def test_record_then_compare_then_check_given_records(project: Project) -> None:
    assert project.perfgate("record", "-o", "old", "--seed", "7").code == 0
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    assert project.perfgate("record", "-o", "new", "--seed", "8").code == 0
    compared = project.perfgate("compare", "old", "new")
    assert compared.code == 1, compared.text
    assert "2 regressed" in compared.out
    assert project.perfgate("compare", "old", "new", "--no-fail").code == 0
    faster = json.loads(project.perfgate("compare", "new", "old", "--json", "-").out)
    latency = [
        row
        for item in faster["verdicts"]
        for row in item["comparisons"]
        if row["metric"]["name"] == "latency"
    ]
    assert sorted(row["verdict"] for row in latency if abs(row["worse_by"]) > 0.1) == ["improved", "improved"]
    assert "regressed" not in {row["verdict"] for row in latency}
    assert project.perfgate("record", "-k", "sd_unet", "-o", "part", "--seed", "9").code == 0
    partial = project.perfgate("check", "--records", "part")
    assert partial.code == 11, partial.text
    assert "resnet50[ascend-310p-like]" in partial.out
    assert "no record of it below part" in partial.out
    judged = project.perfgate("check", "--records", "new")
    assert judged.code == 1
    assert "measuring" not in judged.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("compare", "old", "old"), 2, "both folders hold the same records"),
        (("compare", "old", "absent"), 2, "no such folder of records: absent"),
        (("record", "-k", "nothing"), 11, "no benchmark matches"),
        (("check", "--min-effect", "5"), 2, "'5' is no percentage: --min-effect"),
        (
            ("check", "--device", "warp-drive"),
            11,
            "no benchmark matches '--device warp-drive': selection: choose",
        ),
        (("unknown",), 2, "No such command"),
        (("-C", "absent", "check"), 2, "no such folder: absent"),
        (("baseline", "update"), 2, "Missing option '--reason'"),
        (("baseline", "update", "--reason", " "), 2, "a baseline needs a reason"),
        (("guard", "--today", "soon"), 2, "'soon' is no date"),
        (("guard", "../outside"), 2, "outside the repository"),
        (("guard", "explain", "no-such-rule"), 2, "no-such-rule"),
    ],
)
def test_a_mistake_is_one_line_and_its_exit_code(
    project: Project, arguments: tuple[str, ...], code: int, words: str
) -> None:
    assert project.perfgate("-q", "record", "-k", "resnet50", "-o", "old").code == 0
    done = project.perfgate(*arguments)
    assert done.code == code, done.text
    assert words in done.err
    assert "Traceback" not in done.text
    assert len(done.err.strip().splitlines()) == 1, done.err


def test_a_dirty_tree_and_a_pull_request_job_accept_nothing(project: Project) -> None:
    before = snapshot(project.folder)
    job = project.perfgate("baseline", "update", "--reason", "r", GITHUB_EVENT_NAME="pull_request")
    assert job.code == 2
    assert "a pull request may not accept its own numbers" in job.err
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    dirty = project.perfgate("baseline", "update", "--reason", "r")
    assert dirty.code == 2
    assert "deploy/resnet.sh" in dirty.err
    project.git("checkout", "-q", ".")
    assert snapshot(project.folder) == before


def test_a_deliberate_change_is_accepted_with_its_provenance(project: Project) -> None:
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    commit = project.commit("full precision")
    refused = project.perfgate("baseline", "update", "--reason", "more precision")
    assert refused.code == 1
    assert "--accept-regression" in refused.err
    done = project.perfgate(
        "baseline", "update", "--reason", "more precision", "--accept-regression", "accuracy"
    )
    assert done.code == 0, done.text
    assert "2 written, 2 left as they are" in done.out
    assert "baselines/ascend-310p-like/resnet50.json  latency" in done.out
    changed = project.git("diff", "--name-only").splitlines()
    assert changed == ["baselines/ascend-310p-like/resnet50.json", "baselines/ascend-910b-like/resnet50.json"]
    stored = json.loads((project.folder / changed[0]).read_text())["provenance"]
    assert stored["commit"] == commit
    assert stored["author"] == "Ada <ada@example.org>"
    assert stored["reason"] == "more precision"
    assert stored["accepted_regression"] == "accuracy"
    assert stored["previous"]["latency"] > 0


def test_an_update_without_a_change_writes_nothing(project: Project) -> None:
    done = project.perfgate("baseline", "update", "--reason", "nothing new")
    assert done.code == 0, done.text
    assert "0 written, 4 left as they are" in done.out
    assert project.git("status", "--porcelain") == ""


def test_the_selftest_prints_false_alarms_and_what_it_sees(project: Project) -> None:
    done = project.perfgate("selftest", "-k", "3", "--device", "ascend-310p-like")
    assert done.code == 0, done.text
    assert "of 3 unchanged sets" in done.out
    assert "sees >= " in done.out


def test_guard_explains_adds_and_fixes(project: Project) -> None:
    explained = project.perfgate("guard", "explain", "atc_convert/require/--optypelayout")
    assert explained.code == 0, explained.text
    assert "deploy/convert.sh" in explained.out
    added = project.perfgate("guard", "add", "atc_convert: require --precision_mode=force_fp16")
    assert added.code == 0, added.text
    assert "precision_mode" in (project.folder / "guardrails.yaml").read_text()
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    fixed = project.perfgate("guard", "--fix", "-o", "fix.diff")
    assert fixed.code == 1
    project.git("apply", "fix.diff")
    assert project.git("diff", "--name-only") == "guardrails.yaml"
    assert project.perfgate("guard").code == 0


def test_a_new_rule_shows_which_commits_it_would_have_stopped(project: Project) -> None:
    project.git("rm", "-q", "guardrails.yaml")
    project.commit("no rules yet")
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    project.commit("tidy convert flags")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    done = project.perfgate("guard", "add", "atc_convert: require --optypelayout=NHWC", "--replay", "3")
    assert done.code == 0, done.text
    assert "tidy convert flags" in done.out
    assert "1 of the last 3 commits" in done.out


def test_weakening_a_rule_is_red_by_itself(project: Project) -> None:
    project.replace("guardrails.yaml", "=NHWC", "={NHWC,NCHW}")
    done = project.perfgate("guard")
    assert done.code == 1, done.text
    assert "rule-weakened" in done.out


def test_a_whole_profile_lies_beside_its_record_and_is_no_record(project: Project) -> None:
    arguments = ("-k", "sd_unet", "--device", "ascend-310p-like")
    assert project.perfgate("record", *arguments, "-o", "old", "--profile").code == 0
    profile = json.loads((project.folder / "old/ascend-310p-like/sd_unet.profile.json").read_text())
    assert {"application", "graph", "operators", "kernels", "hardware"} <= set(profile)
    assert profile["application"]["iterations"] == 28
    assert project.perfgate("record", *arguments, "-o", "new", "--seed", "5").code == 0
    assert project.perfgate("compare", "old", "new").code == 0


def test_the_arithmetic_and_the_what_ifs_of_a_record_are_printed(project: Project) -> None:
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    done = project.perfgate(
        "record", "-k", "sd_unet", "--device", "ascend-310p-like", "-o", "r", "--explain", "--what-if"
    )
    assert done.code == 0, done.text
    # SIMULATOR section 5: 8 * 1280 * 204 elements of 2 bytes; 10 crossings in each of 28 steps, both ways
    assert "2,088,960 elements x 2 B = 4,177,920 B" in done.out
    assert "280 x 2 x 4,177,920 B = 2,339,635,200 B" in done.out
    for knob in ("batch", "precision", "fusion", "cores", "streams"):
        assert knob in done.out
