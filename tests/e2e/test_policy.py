"""What the policy of the base commit makes of a verdict, and that a change cannot loosen it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.project import Project

SLOW = ("deploy/resnet.sh", "force_fp16", "force_fp32")


def accept(project: Project, policy: str) -> None:
    """Make this the policy of the base commit."""
    project.commit("policy", {"perfgate.yaml": policy})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")


@pytest.mark.parametrize(
    ("line", "code"),
    [("full_suite: ci", 11), ("full_suite: always", 11), ("full_suite: never", 0)],
)
def test_a_green_part_of_the_suite_is_not_green_where_all_is_asked_for(
    project: Project, line: str, code: int
) -> None:
    accept(project, f"version: 1\n{line}\n")
    assert project.perfgate("check", "-k", "resnet50", CI="true").code == code
    assert project.pytest("-k", "resnet50", CI="true").code == code
    assert project.perfgate("check", CI="true").code == 0


def test_a_red_benchmark_names_its_owner(project: Project) -> None:
    accept(project, 'version: 1\nowners: {"resnet*": "@org/vision"}\n')
    project.replace(*SLOW)
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 1
    assert "owner: @org/vision" in done.out


@pytest.mark.parametrize(
    "policy",
    [
        'version: 1\npolicy: [{match: "*", min_effect: 90%, equivalence: 95%, level: warn, relative: 90%}]\n',
        """version: 1
waivers: [{benchmark: resnet50, metric: latency, up_to: 90%, owner: "@a", reason: r, expires: 2026-12-31}]
""",
        'version: 1\nremoved: ["resnet*"]\n',
    ],
    ids=["thresholds", "waiver", "removed"],
)
def test_a_change_cannot_loosen_the_policy_that_judges_it(project: Project, policy: str) -> None:
    project.replace(*SLOW)
    project.write({"perfgate.yaml": policy})
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code in {1, 12}, done.text  # 12 once the waiver's date has passed
    assert "verdict: PASS" not in done.out
    if done.code == 1:
        assert "perfgate.yaml: changed" in done.out


def test_a_looser_ini_value_is_shown_and_not_applied(project: Project) -> None:
    project.replace(*SLOW)
    project.write({"pytest.ini": "[pytest]\nperfgate_min_effect = 90%\n"})
    done = project.pytest("-k", "resnet50")
    assert done.code == 1, done.text
    assert "looser than base, so not applied:" in done.out
    assert "min_effect 0.9" in done.out


def test_a_stricter_value_of_the_change_is_applied(project: Project) -> None:
    project.write(
        {"perfgate.yaml": 'version: 1\npolicy: [{match: "resnet50", metric: latency, limit: "<=1us"}]\n'}
    )
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 1, done.text
    assert "resnet50" in done.out


def test_a_waiver_of_the_base_lets_its_regression_pass_with_a_word(project: Project) -> None:
    waiver = (
        '{{benchmark: resnet50, metric: "{}", up_to: 100%, owner: "@a", reason: "accuracy", expires: {}}}'
    )

    day = (dt.datetime.now(dt.UTC).date() + dt.timedelta(days=30)).isoformat()
    lines = ", ".join(waiver.format(metric, day) for metric in ("latency", "cycles", "peak_memory"))
    accept(project, f"version: 1\nwaivers: [{lines}]\n")
    project.replace(*SLOW)
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 0, done.text
    assert f"waived by @a until {day}: accuracy" in done.out
    tested = project.pytest("-k", "resnet50")
    assert tested.code == 0, tested.text
    assert f"waived by @a until {day}: accuracy" in tested.out


def test_budgets_of_the_guardrails_are_a_table_and_a_broken_one_is_red(project: Project) -> None:
    rules = "atc_convert: require --optypelayout=NHWC\nlatency: <=1us\npeak_memory: <=1GB\n"
    project.write({"guardrails.yaml": rules})
    done = project.perfgate("check", "-k", "resnet50", "--device", "ascend-310p-like")
    assert done.code == 1, done.text
    assert "over budget: " in done.out
    rows = [line.split() for line in done.out.splitlines() if line.startswith("resnet50[ascend-310p-like]  ")]
    assert [(row[1], row[-1]) for row in rows] == [("latency", "fail"), ("peak_memory", "pass")]
    tested = project.pytest("-k", "resnet50 and 310p")
    assert tested.code == 1, tested.text
    assert "over budget: " in tested.out


def test_thresholds_of_a_suite_hold_although_the_change_moves_the_suite(project: Project) -> None:
    suite = (project.folder / "perf_models.yaml").read_text(encoding="utf-8")
    entry = "  - name: resnet50\n"
    strict = suite.replace(entry, f'{entry}    limits: {{latency: "<=1us"}}\n')
    assert strict != suite
    project.commit("a limit in the suite", {"perf_models.yaml": strict})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert project.perfgate("check", "-k", "resnet50").code == 1

    (project.folder / "perf_models.yaml").unlink()
    project.write({"perf_moved.yaml": suite})
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 1, done.text
    assert "perf_models.yaml: removed" in done.out


def test_an_update_judges_by_the_policy_too(project: Project) -> None:
    project.commit(
        "a broken policy", {"perfgate.yaml": "version: 1\npolicy: [{match: '*', min_effect: 0.1}]\n"}
    )
    refused = project.perfgate("baseline", "update", "--reason", "r", "-k", "resnet50")
    assert refused.code == 12, refused.text
    assert "perfgate.yaml:2" in refused.err

    limit = 'version: 1\npolicy: [{match: "resnet50", metric: latency, limit: "<=1us"}]\n'
    project.commit("a limit", {"perfgate.yaml": limit})
    refused = project.perfgate("baseline", "update", "--reason", "r", "-k", "resnet50")
    assert refused.code == 1, refused.text
    assert "--accept-regression" in refused.err
