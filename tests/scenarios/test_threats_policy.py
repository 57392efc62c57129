"""A change that moves the bar it is judged by, each way alone, beside a slow-down: still red, and said so.

The row "change loosens ..." of docs/THREATS.md; the reverse, a change that asks for more, is applied.
"""

from __future__ import annotations

import datetime as dt
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.project import Project, Result

SLOW = ("deploy/resnet.sh", "force_fp16", "force_fp32")
POLICY = 'version: 1\npolicy:\n  - {match: "*", min_effect: 1%}\n'
IN_A_MONTH = (dt.datetime.now(dt.UTC).date() + dt.timedelta(days=30)).isoformat()
WAIVER = f"""waivers:
  - {{benchmark: resnet50, metric: latency, up_to: 90%, owner: "@a", reason: r, expires: {IN_A_MONTH}}}
  - {{benchmark: resnet50, metric: cycles, up_to: 90%, owner: "@a", reason: r, expires: {IN_A_MONTH}}}
  - {{benchmark: resnet50, metric: peak_memory, up_to: 90%, owner: "@a", reason: r, expires: {IN_A_MONTH}}}
"""


def pytest_ini(line: str) -> dict[str, str | bytes]:
    return {"pytest.ini": f"[pytest]\n{line}\n"}


def policy(rule: str) -> dict[str, str | bytes]:
    return {"perfgate.yaml": POLICY.replace("min_effect: 1%", rule)}


LOOSER_POLICY: dict[str, tuple[dict[str, str | bytes], str]] = {
    "smallest effect": (policy("min_effect: 90%, equivalence: 95%"), "min_effect 0.9"),
    "exact tolerance": (policy("min_effect: 1%, metric: cycles, relative: 90%"), "relative 0.9"),
    "level": (policy("min_effect: 1%, level: warn"), "level warn"),
    "inconclusive": (policy("min_effect: 1%, on_inconclusive: pass"), "on_inconclusive"),
    "missing": (policy("min_effect: 1%, on_missing: warn"), "on_missing"),
    "changed": (policy("min_effect: 1%, on_changed: warn"), "on_changed"),
    "common shift": (policy("min_effect: 1%, common_shift: warn"), "common_shift"),
    "waiver": ({"perfgate.yaml": POLICY + WAIVER}, "perfgate.yaml: changed"),
    "removed": ({"perfgate.yaml": POLICY + 'removed: ["resnet*"]\n'}, "perfgate.yaml: changed"),
    "full suite": ({"perfgate.yaml": POLICY + "full_suite: never\n"}, "perfgate.yaml: changed"),
}


@pytest.mark.parametrize("way", LOOSER_POLICY)
def test_a_looser_policy_of_the_change_is_shown_and_not_applied(project: Project, way: str) -> None:
    files, words = LOOSER_POLICY[way]
    project.replace(*SLOW)
    project.write(files)
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 1, done.text
    assert "2 regressed" in done.out
    assert "this change edits the gate:" in done.out
    assert words in done.out


LOOSER_SETTINGS: dict[str, tuple[dict[str, str | bytes], str]] = {
    "ini": (pytest_ini("perfgate_min_effect = 90%"), "min_effect 0.9"),
    "ini, inconclusive": (pytest_ini("perfgate_inconclusive = pass"), "on_inconclusive"),
    "ini, one run": (pytest_ini("perfgate_runs = 1"), "pytest.ini: added"),
    "ini, base": (pytest_ini("perfgate_base = HEAD"), "perfgate_base in pytest.ini"),
    "addopts": (pytest_ini("addopts = --perfgate-min-effect=90%"), "min_effect 0.9"),
    "addopts, one run": (pytest_ini("addopts = --perfgate-runs 1"), "pytest.ini: added"),
    "addopts, base": (pytest_ini("addopts = --perfgate-base=HEAD"), "--perfgate-base in addopts"),
}


@pytest.mark.parametrize("way", LOOSER_SETTINGS)
def test_looser_settings_of_the_change_are_shown_and_not_applied(project: Project, way: str) -> None:
    files, words = LOOSER_SETTINGS[way]
    project.git("checkout", "-q", "-b", "topic")
    project.replace(*SLOW)
    project.write(files)
    project.write({"perfgate.yaml": 'version: 1\npolicy: [{match: "*", min_effect: 90%, relative: 90%}]\n'})
    project.commit("slower, and looser")
    done = project.pytest("-k", "resnet50", CI="true")
    assert done.code == 1, done.text
    assert "2 regressed" in done.out
    assert words in done.out


DESELECT = "--deselect perf_models.yaml::resnet50"
HIDING: dict[str, dict[str, str | bytes]] = {
    "keyword": pytest_ini('addopts = -k "not resnet50"'),
    "deselect": pytest_ini(f"addopts = {DESELECT}"),
    "ignore": pytest_ini("addopts = --ignore=perf_models.yaml"),
    "paths": pytest_ini("testpaths = tests"),
    "paths in addopts": pytest_ini("addopts = tests"),
    "hidden ini": {".pytest.ini": f"[pytest]\naddopts = {DESELECT}\n"},
    "pyproject": {"pyproject.toml": f"[tool.pytest.ini_options]\naddopts = '{DESELECT}'\n"},
    "setup.cfg": {"setup.cfg": f"[tool:pytest]\naddopts = {DESELECT}\n"},
    "conftest": {"conftest.py": "collect_ignore = ['perf_models.yaml']\n"},
}


@pytest.mark.parametrize("way", HIDING)
def test_settings_of_the_change_that_leave_benchmarks_out_are_never_green(project: Project, way: str) -> None:
    project.write({"tests/test_own.py": "def test_ok(): pass\n"})
    project.write(HIDING[way])
    done = project.pytest(*(("-n", "2") if way in {"ignore", "conftest"} else ()))
    assert done.code == 11, done.text
    assert f"left out by this change of {next(iter(HIDING[way]))}" in done.out
    assert "resnet50[ascend-310p-like]" in done.out


def test_a_selection_on_the_command_line_is_the_users_own(project: Project) -> None:
    project.write(HIDING["deselect"])
    for arguments in (("-k", "sd_unet"), ("perf_models.yaml::sd_unet[ascend-310p-like]",)):
        done = project.pytest(*arguments)
        assert done.code == 0, done.text
        assert "a partial verdict" in done.out


def test_a_measured_test_that_the_change_deselects_is_not_green_either(project: Project) -> None:
    test = """
def test_resnet(perfgate):
    perfgate.model("zoo:resnet50", device="ascend-310p-like", preset="tiny")
"""
    project.commit("a test", {"test_speed.py": test})
    measured = project.pytest("test_speed.py", "--perfgate-records", "../records")
    assert measured.code == 11, measured.text
    shutil.copytree(project.folder.parent / "records", project.folder / "baselines", dirs_exist_ok=True)
    project.commit("accept")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert project.pytest().code == 0
    project.write(pytest_ini("addopts = --deselect test_speed.py"))
    hidden = project.pytest()
    assert hidden.code != 0, hidden.text
    assert "left out by this change of pytest.ini" in hidden.out


def test_a_device_that_the_change_leaves_out_is_never_green(project: Project) -> None:
    project.write(pytest_ini("perfgate_device = ascend-910b-like"))
    done = project.pytest()
    assert done.code == 11, done.text
    assert "left out by this change of pytest.ini" in done.out


def test_a_selection_that_was_merged_before_stays_a_partial_verdict(project: Project) -> None:
    project.commit("merged before", {"pyproject.toml": HIDING["pyproject"]["pyproject.toml"]})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    more = str(HIDING["pyproject"]["pyproject.toml"]) + "[project]\nname = 'x'\nversion = '1'\n"
    project.write({"pyproject.toml": more})
    done = project.pytest()
    assert done.code == 0, done.text
    assert "2 of 4 selected: a partial verdict" in done.out


@pytest.mark.parametrize(
    "option",
    [
        "--collect-only",
        "--setup-plan",
        "--setup-only",
        "--fixtures",
        "--fixtures-per-test",
        "--markers",
        "--cache-show",
    ],
)
def test_options_of_the_change_that_run_nothing_are_refused(project: Project, option: str) -> None:
    project.write(pytest_ini(f"addopts = {option}"))
    done = project.pytest()
    assert done.code == 4, done.text
    assert f"{option} measures nothing" in done.text
    assert project.pytest(option).code == 0


def test_a_suite_of_the_change_with_fewer_runs_is_still_red(project: Project) -> None:
    project.replace(*SLOW)
    project.replace("perf_models.yaml", "runs: 5", "runs: 1")
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 1, done.text
    assert "2 regressed" in done.out


SUITE_THRESHOLDS = {
    "higher": ("thresholds: {latency: 90%, cycles: 90%}\n", "min_effect 0.9"),
    "dropped": ("", "perf_models.yaml: changed"),
}


@pytest.mark.parametrize("way", SUITE_THRESHOLDS)
def test_looser_thresholds_of_a_suite_are_not_applied(project: Project, way: str) -> None:
    line = "thresholds: {latency: 1%, cycles: 0%}\n"
    project.replace("perf_models.yaml", "benchmarks:", f"{line}benchmarks:")
    project.commit("thresholds")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    project.replace(*SLOW)
    new, words = SUITE_THRESHOLDS[way]
    project.replace("perf_models.yaml", line, new)
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 1, done.text
    assert words in done.out


GUARDRAILS = {
    "value": "atc_convert: require --optypelayout={NHWC,NCHW}\n",
    "level": "atc_convert: warn require --optypelayout=NHWC\n",
    "emptied": "# nothing\n",
}


@pytest.mark.parametrize("way", GUARDRAILS)
def test_looser_guardrails_do_not_let_a_violation_pass(project: Project, way: str) -> None:
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    project.write({"guardrails.yaml": GUARDRAILS[way]})
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code == 1, done.text
        assert "deploy/convert.sh:4:5" in done.out
        assert "rule-weakened" in done.out


def refused(done: Result, *words: str) -> None:
    assert done.code == 1, done.text
    for word in words:
        assert word in done.out


@pytest.mark.parametrize("way", ["policy", "ini", "addopts", "suite", "guardrails"])
def test_a_change_that_asks_for_more_is_judged_by_that(project: Project, way: str) -> None:
    if way == "policy":
        project.write(policy('min_effect: 1%, metric: latency, limit: "<=1us"'))
        refused(project.perfgate("check", "-k", "resnet50"), "over budget: latency")
    elif way == "suite":
        project.replace(
            "perf_models.yaml", "  - name: resnet50\n", '  - name: resnet50\n    limits: {latency: "<=1us"}\n'
        )
        refused(project.perfgate("check", "-k", "resnet50"), "over budget: latency")
    elif way == "guardrails":
        project.write({"guardrails.yaml": "atc_convert: require --optypelayout=NHWC --log=error\n"})
        refused(project.perfgate("check"), "--log")
    else:  # a new benchmark fails where the change asks for it, and only warns by default
        line = "perfgate_new = fail" if way == "ini" else "addopts = --perfgate-new=fail"
        project.write(pytest_ini(line))
        project.replace("perf_models.yaml", "name: resnet50", "name: resnet_new")
        done = project.pytest("-k", "resnet_new or sd_unet")
        refused(done, "FAILED perf_models.yaml::resnet_new[ascend-310p-like]")
