"""The table of the command line: the options that every verb takes, and those of single verbs."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.project import Project

ONE = ("-k", "resnet50", "--device", "ascend-310p-like")
SLOW = ("deploy/resnet.sh", "force_fp16", "force_fp32")
LOOSE = (
    'version: 1\npolicy: [{match: "*", min_effect: 100%, equivalence: 100%, relative: 100%, level: warn}]\n'
)
STRICT = 'version: 1\npolicy: [{match: "*", on_new: fail}]\n'


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("perfgate init --dry-run", 0),
        ("perfgate record -o new/", 0),
        ("perfgate check --base origin/main", 0),
        ("perfgate compare old/ new/", 0),
        ('perfgate baseline update --reason "v1.3"', 2),  # the recordings made the tree dirty
        ("perfgate baseline diff origin/main", 0),
        ("perfgate guard deploy/", 0),
        ("perfgate doctor", 0),
    ],
)
def test_the_examples_of_the_table_run(project: Project, command: str, code: int) -> None:
    assert project.perfgate("record", "-q", *ONE, "-o", "old", "--seed", "3").code == 0
    assert project.perfgate("record", "-q", *ONE, "-o", "new", "--seed", "4").code == 0
    done = project.run(*shlex.split(command))
    assert done.code == code, done.text


def test_verbosity_stands_before_or_behind_the_verb(project: Project) -> None:
    both = ("-k", "resnet50")
    for arguments in (("-v", "check", *both), ("check", "-v", *both)):
        assert "unchanged  resnet50" in project.perfgate(*arguments).out
    assert "unchanged  resnet50" not in project.perfgate("check", *both).out
    quiet: list[tuple[str, ...]] = [("-q", "check", *both), ("check", *both, "-q"), ("guard", "-q")]
    for words in (*quiet, ("record", "-q", *both)):
        done = project.perfgate(*words)
        assert (done.code, done.text) == (0, ""), done.text
    assert "Traceback" in project.perfgate("record", "-vv", "--at", "nothing").err
    assert "Traceback" in project.perfgate("-vv", "record", "--at", "nothing").err
    assert project.perfgate("baseline", "list", "--no-color").code == 0


def test_quiet_still_says_what_is_wrong(project: Project) -> None:
    project.replace(*SLOW)
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    done = project.perfgate("check", "-q", *ONE)
    assert done.code == 1
    assert "regressed: latency" in done.out
    assert "must be NHWC" in project.perfgate("guard", "-q").out


def test_a_folder_is_another_place_to_start_from(project: Project) -> None:
    done = project.perfgate("-C", "deploy", "guard", "convert.sh")
    assert done.code == 0, done.text


def test_paths_of_guard_may_be_folders_and_must_be_there(project: Project) -> None:
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    for path in ("deploy/", "deploy", ".", "deploy/convert.sh"):
        assert project.perfgate("guard", path).code == 1, path
    assert project.perfgate("guard", "deploy/resnet.sh").code == 0
    absent = project.perfgate("guard", "deplyo/")
    assert absent.code == 2
    assert "no file of the repository is there: deplyo" in absent.err


def test_guard_explains_and_writes_sarif_beside_its_text(project: Project) -> None:
    rule = "atc_convert/require/--optypelayout"
    assert project.perfgate("guard", "--explain", rule).out == project.perfgate("guard", "explain", rule).out
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    done = project.perfgate("guard", "--sarif", "found.sarif")
    assert done.code == 1
    assert "must be NHWC" in done.out
    assert json.loads((project.folder / "found.sarif").read_text())["version"] == "2.1.0"
    assert json.loads(project.perfgate("guard", "--sarif", "-").out)["version"] == "2.1.0"


def test_a_commit_is_measured_without_touching_the_tree(project: Project) -> None:
    first = project.git("rev-parse", "HEAD")
    project.commit("a device", {"devices/own.yaml": "broken: [\n"})
    project.replace(*SLOW)
    project.write({"devices/own.yaml": "also broken"})
    before = project.git("status", "--porcelain")
    here = json.loads(project.perfgate("record", *ONE, "-o", ".perfgate/here", "--json", "-").out)
    at = project.perfgate("record", *ONE, "--at", first, "-o", ".perfgate/then", "--json", "-")
    assert at.code == 0, at.text
    then = json.loads(at.out)
    assert then["commit"] == first
    assert then["records"][0]["values"]["cycles"] < here["records"][0]["values"]["cycles"]
    assert project.git("status", "--porcelain") == before
    compared = project.perfgate("compare", ".perfgate/then", ".perfgate/here")
    assert compared.code == 1, compared.text
    stored = json.loads((project.folder / "baselines/ascend-310p-like/resnet50.json").read_text())
    assert stored["exact"]["cycles"] == then["records"][0]["values"]["cycles"]


@pytest.mark.parametrize("revision", ["nothing", "--upload-pack=x", "HEAD:deploy"])
def test_what_is_no_commit_is_refused(project: Project, revision: str) -> None:
    done = project.perfgate("record", "--at", revision)
    assert done.code == 2
    assert "no commit named" in done.err


def test_one_metric_is_compared_and_the_order_is_chosen(project: Project) -> None:
    assert project.perfgate("record", "-q", "-o", "old", "--seed", "3").code == 0
    project.replace(*SLOW)
    assert project.perfgate("record", "-q", "-o", "new", "--seed", "4").code == 0
    one = json.loads(project.perfgate("compare", "old", "new", "--metric", "copied_bytes", "--json", "-").out)
    assert one["exit_code"] == 0
    assert {row["metric"]["name"] for item in one["verdicts"] for row in item["comparisons"]} == {
        "copied_bytes"
    }
    absent = project.perfgate("compare", "old", "new", "--metric", "latencyy")
    assert absent.code == 11
    assert "choose from copied_bytes, cycles, kernel_count, latency, peak_memory" in absent.err
    names = {}
    for order in ("worst", "change", "name"):
        done = project.perfgate("compare", "old", "new", "--sort", order, "-v")
        rows = [line for line in done.out.splitlines() if line.lower().startswith(("regressed", "unchanged"))]
        names[order] = [" ".join(row.split()[1:3]) for row in rows[:4]]
    assert names["name"] == sorted(names["name"])
    assert {name.split()[0] for name in names["worst"][:2]} == {"resnet50"}
    assert {name.split()[0] for name in names["change"][:2]} == {"resnet50"}


def test_a_named_policy_can_tighten_a_check_and_never_loosen_it(project: Project) -> None:
    project.write({"other/loose.yaml": LOOSE, "other/strict.yaml": STRICT})
    project.replace(*SLOW)
    loose = project.perfgate("check", *ONE, "--policy", "other/loose.yaml")
    assert loose.code == 1, loose.text
    assert "looser than base" in loose.out
    project.git("checkout", "-q", "deploy")
    project.replace("perf_models.yaml", "name: resnet50", "name: resnet50b")
    removed = "version: 1\nremoved: [resnet50]\n"
    project.git("rm", "-rq", "baselines")
    project.commit("nothing accepted", {"perfgate.yaml": removed})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert project.perfgate("check", *ONE).code == 11
    assert project.perfgate("check", *ONE, "--policy", "other/strict.yaml").code == 1
    assert project.perfgate("check", "--policy", "absent.yaml").code == 12


def test_a_named_policy_judges_update_selftest_and_compare(project: Project) -> None:
    project.write({".perfgate/loose.yaml": LOOSE})
    project.replace(*SLOW)
    project.commit("slow")
    refused = project.perfgate("baseline", "update", "--reason", "r", *ONE)
    assert refused.code == 1
    passed = project.perfgate("baseline", "update", "--reason", "r", *ONE, "--policy", ".perfgate/loose.yaml")
    assert passed.code in {0, 1}
    assert project.perfgate("selftest", "-k", "1", "--policy", "absent.yaml").code == 12


def test_a_baseline_is_shown_as_it_was_on_a_day(project: Project) -> None:
    name = "resnet50[ascend-310p-like]"
    day = project.perfgate("baseline", "show", name, "--at", "2026-01-01")  # all commits are of that day
    assert day.out == project.perfgate("baseline", "show", name, "--at", "HEAD").out
    before = project.perfgate("baseline", "show", name, "--at", "2025-12-31")
    assert before.code == 2
    assert "a day such as 2026-11-29" in before.err


def test_only_a_refresh_rewrites_what_did_not_change(project: Project) -> None:
    kept = project.perfgate("baseline", "update", "--reason", "again")
    assert "0 written, 4 left as they are" in kept.out
    refreshed = project.perfgate("baseline", "update", "--reason", "again", "--refresh", *ONE)
    assert refreshed.code == 0, refreshed.text
    assert project.git("diff", "--name-only") == "baselines/ascend-310p-like/resnet50.json"


def test_every_line_of_the_doctor_that_is_not_well_has_its_remedy(project: Project) -> None:
    project.write(
        {"perf_models.yaml": "version: 1\nbenchmarks: []\n", "guardrails.yaml": "atc_convert: [x\n"}
    )
    report = json.loads(project.perfgate("doctor", "--json", "-").out)
    assert report["exit_code"] == 1
    sick = [line for line in report["lines"] if not line["is_well"]]
    assert {line["topic"] for line in sick} == {"suites", "guardrails"}
    assert all(line["remedy"] for line in sick)
