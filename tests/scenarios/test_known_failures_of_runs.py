"""Known failures of gates that show only in a whole run; the numbers are those of docs/KNOWN_FAILURES.md."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.thresholds import SuitePolicy
from perfgate.report.terminal import verdict_table
from tests.records import make_record
from tests.repositories import clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project, Result

SLOW = ("deploy/resnet.sh", "force_fp16", "force_fp32")


def section(done: Result) -> str:
    """What perfgate says of a run: from the first finding to the verdict, without pytest's own lines."""
    text = done.out[done.out.index("regressed: latency") :]
    text = text[: text.index("verdict: FAIL")]
    return re.sub(r"(?m)^(FAILED |=|_).*\n", "", text)


def test_row_2_a_suite_whose_names_match_no_baseline_is_new_and_missing(project: Project) -> None:
    for name in ("resnet50", "sd_unet"):
        project.replace("perf_models.yaml", f"name: {name}", f"name: other_{name}")
    done = project.perfgate("check")
    assert done.code == 1, done.text
    assert "4 missing" in done.out
    assert "4 new" in done.out


def test_row_3_workers_change_neither_text_nor_code(project: Project) -> None:
    project.replace(*SLOW)
    alone, among = project.pytest("-k", "resnet50"), project.pytest("-k", "resnet50", "-n", "2")
    assert (alone.code, among.code) == (1, 1)
    assert section(among) == section(alone)


@pytest.mark.parametrize("content", ["def test_ok(): pass\n", "def test_bad(): assert False\n"])
def test_row_3_workers_without_a_benchmark_hear_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "test_own.py").write_text(content, encoding="utf-8")
    codes = []
    for arguments in (["-p", "no:perfgate"], []):
        done = subprocess.run(  # noqa: S603 - the pytest of this environment
            [sys.executable, "-m", "pytest", "-W", "error", "-n", "2", "-q", *arguments],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "perfgate" not in done.stdout + done.stderr
        codes.append(done.returncode)
    assert codes[0] == codes[1] == ("assert False" in content)


SEEN = """
import json, os
def pytest_sessionfinish(session):
    names = sorted(name for name in vars(session.config.option) if name.startswith("perfgate"))
    ini = ["perfgate_" + name for name in ("base", "runs", "min_effect", "inconclusive", "device")]
    seen = {name: repr(session.config.getoption(name)) for name in names}
    seen |= {"ini " + name: repr(session.config.getini(name)) for name in ini}
    worker = os.environ.get("PYTEST_XDIST_WORKER", "controller")
    with open(f"seen-{worker}.json", "w") as file:
        json.dump(seen, file)
"""


def test_row_4_options_of_every_type_are_equal_in_the_workers(project: Project) -> None:
    lines = "perfgate_inconclusive = fail\nperfgate_device = ascend-310p-like ascend-910b-like\n"
    project.write({"conftest.py": SEEN, "pytest.ini": f"[pytest]\n{lines}perfgate_seed = 3\n"})
    options = ("--perfgate-runs", "6", "--perfgate-min-effect", "0.5 %", "--perfgate-new=fail")
    files = ("--perfgate-json", "a b.json", "--perfgate-records", "kept", "--perfgate-base", "HEAD")
    done = project.pytest("-n", "2", *options, *files, "-k", "resnet50")
    seen = {
        path.stem: msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        for path in project.folder.glob("seen-*.json")
    }
    assert set(seen) == {"seen-controller", "seen-gw0", "seen-gw1"}, done.text
    assert seen["seen-gw0"] == seen["seen-gw1"] == seen["seen-controller"]
    assert seen["seen-gw0"]["perfgate_min_effect"] == "'0.5 %'"


@pytest.fixture
def without_git(tmp_path: Path) -> str:
    """A search path on which there is no git."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "env"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


def test_row_9_without_git_the_gate_says_so_and_records_can_be_compared(
    project: Project, without_git: str
) -> None:
    for done in (project.perfgate("check", PATH=without_git), project.pytest(PATH=without_git)):
        assert done.code == 12, done.text
        (line,) = [line for line in done.text.splitlines() if "git is not installed" in line]
        assert "install git" in line
        assert "Traceback" not in done.text
    for seed in ("1", "2"):
        made = project.perfgate("record", "-k", "resnet50", "-o", seed, "--seed", seed, PATH=without_git)
        assert made.code == 0, made.text
    compared = project.perfgate("compare", "1", "2", PATH=without_git)
    assert compared.code == 0, compared.text


def test_row_9_a_detached_head_is_judged(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    assert project.perfgate("check", "-k", "resnet50").code == 0
    project.replace(*SLOW)
    assert project.perfgate("check", "-k", "resnet50").code == 1


def test_row_15_one_nan_beside_numbers_is_invalid_and_the_table_is_drawn() -> None:
    good, other = make_record("a", exact={}), make_record("b", exact={})
    rows = [[1.0, 1.01, float("nan"), 1.02, 1.0], *[[1.0, 1.01, 0.99, 1.02, 1.0]] * 4]
    bad = make_record("a", latencies=rows, exact={})
    before = {item.key: item for item in (good, other)}
    decision = judge(before, {"a[dev]": bad, "b[dev]": other}, SuitePolicy(), options=JudgeOptions(seed=0))
    found = {item.benchmark: item.verdict for item in decision.benchmarks}
    assert found["a"] is Verdict.INVALID
    assert found["b"] is not Verdict.INVALID
    assert decision.exit_code in {ExitCode.NOTHING, ExitCode.UNUSABLE}
    table = verdict_table(decision.benchmarks, 80)
    assert "INVALID" in table
    assert "nan" not in table


def test_row_15_a_failed_benchmark_in_the_file_and_a_skipped_one_are_named(project: Project) -> None:
    project.replace("perf_models.yaml", "onnx:light_resnet50", "models/broken.onnx")
    hook = "import pytest\ndef pytest_runtest_setup(item):\n"
    hook += "    if item.name == 'sd_unet[ascend-310p-like]':\n        pytest.skip('not today')\n"
    project.write({"models/broken.onnx": b"no model", "conftest.py": hook})
    done = project.pytest("-rs")
    assert done.code == 11, done.text
    assert "models/broken.onnx" in done.out
    assert "not today" in done.out
    assert "3 invalid" in done.out
    assert "1 unchanged" in done.out


def many_findings(count: int) -> list[Finding]:
    return [
        Finding(
            rule=f"device_{number % 21}/layout",
            severity=Severity.ERROR,
            answer=Answer.FAIL,
            message="must be NHWC",
            span=Place(path=f"deploy/{number}.sh", line=1, column=1, end_line=1, end_column=9),
        )
        for number in range(count)
    ]


def test_row_18_findings_of_21_devices_are_one_run_in_github_as_well() -> None:
    from perfgate.report.github_annotations import github_lines  # noqa: PLC0415 - only this row

    lines = github_lines(many_findings(5421))
    assert len(lines) == 11
    assert lines[-1] == "::error title=perfgate guard::5411 more are in the log"
