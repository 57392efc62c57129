"""Commands, functions and ONNX files on a real clock, through the real command line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.e2e.project import Project

if TYPE_CHECKING:
    from pathlib import Path

# What the tools print and write. The times are made up, so that no verdict depends on this machine.
TRTEXEC = '''\
"""Stands for trtexec: a report of every inference, and a summary."""
import json, os, random, sys

target = next(word.partition("=")[2] for word in sys.argv if word.startswith("--exportTimes="))
source = random.Random(os.urandom(8))
median = float(open("speed.txt").read())
times = [median * (1 + source.gauss(0, 0.004)) for _ in range(40)]
report = [{"startComputeMs": 9.0, "computeMs": time, "latencyMs": time + 0.2} for time in times]
json.dump(report, open(target, "w"))
print("=== Performance summary ===")
'''
BENCHMARK_APP = '''\
"""Stands for benchmark_app: one summary for each process."""
import os, random

median = float(open("speed.txt").read()) * (1 + random.Random(os.urandom(8)).gauss(0, 0.004))
print("[ INFO ] Latency:")
print(f"[ INFO ]    Median:        {median:.4f} ms")
print(f"[ INFO ] Throughput:   {1000 / median:.4f} FPS")
'''
SUITE = """\
version: 1
defaults: {backend: command, samples: 5, warmup: 0, devices: [board-7]}
benchmarks:
  - name: engine
    command: [python, trtexec.py, --loadEngine=model.plan, --exportTimes=times.json]
    metrics: {compute_time: {format: trtexec, file: times.json, unit: ms}}
  - name: app
    command: [python, benchmark_app.py]
    metrics:
      latency: {regex: 'Median: +(\\S+) ms', unit: ms}
      throughput: {regex: 'Throughput: +(\\S+) FPS', unit: 1/s}
"""
BROKEN = """\
  - {name: gone, command: [no-such-tool]}
  - {name: half, command: [python, -c, "print('[1.5,')"], metrics: {latency: {pointer: /0, unit: ms}}}
  - {name: killed, command: [python, -c, "import os; os.kill(os.getpid(), 9)"]}
"""


def project(folder: Path, files: dict[str, str | bytes]) -> Project:
    made = Project(folder / "project")
    made.commit("start", {".gitignore": ".perfgate/\n__pycache__/\n", **files})
    return made


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A repository with accepted baselines of both tools."""
    files: dict[str, str | bytes] = {
        "perf_tools.yaml": SUITE,
        "trtexec.py": TRTEXEC,
        "benchmark_app.py": BENCHMARK_APP,
        "speed.txt": "12.5",
    }
    made = project(tmp_path_factory.mktemp("tools"), files)
    done = made.perfgate("baseline", "update", "--reason", "first baselines")
    assert done.code == 0, done.text
    made.commit("accept the first baselines")
    return made


def verdicts(path: Path) -> dict[str, str]:
    report = json.loads(path.read_text(encoding="utf-8"))
    return {item["benchmark"]: item["verdict"] for item in report["verdicts"]}


def test_unchanged_tools_are_green_and_leave_nothing_in_the_tree(tools: Project, tmp_path: Path) -> None:
    mine = tools.copy(tmp_path / "copy")
    done = mine.perfgate("check", "--base", "HEAD")
    assert done.code == 0, done.text
    assert mine.git("status", "--porcelain") == ""


def test_a_slower_tool_is_regressed_in_each_metrics_own_direction(tools: Project, tmp_path: Path) -> None:
    mine = tools.copy(tmp_path / "copy")
    mine.write({"speed.txt": "13.75"})  # 10 % slower
    done = mine.perfgate("check", "--base", "HEAD")
    assert done.code == 1, done.text
    assert len(re.findall(r"^REGRESSED", done.out, re.MULTILINE)) == 2
    assert re.search(r"compute_time: 12\.5 ms -> 13\.[678] ms  \+(9|10)\.\d %", done.out)
    assert re.search(r"throughput: (79|80)\.\d 1/s -> 7[23]\.\d 1/s", done.out)


def test_a_command_that_asks_for_less_work_is_another_benchmark(tools: Project, tmp_path: Path) -> None:
    mine = tools.copy(tmp_path / "copy")
    mine.replace("perf_tools.yaml", "--loadEngine=model.plan", "--loadEngine=small.plan")
    done = mine.perfgate("check", "--base", "HEAD", "-k", "engine")
    assert done.code == 1, done.text
    assert "protocol command" in done.out
    assert "the ruler moved" in done.out


def test_row_19_another_warm_up_is_changed_and_no_verdict(tools: Project, tmp_path: Path) -> None:
    mine = tools.copy(tmp_path / "copy")
    mine.replace("perf_tools.yaml", "warmup: 0", "warmup: 1")
    done = mine.perfgate("check", "--base", "HEAD")
    assert done.code == 1, done.text
    assert "protocol warmup 0 -> 1" in done.out


def test_broken_commands_are_named_and_the_others_are_judged(tools: Project, tmp_path: Path) -> None:
    mine = tools.copy(tmp_path / "copy")
    mine.write({"perf_tools.yaml": SUITE + BROKEN})
    report = tmp_path / "report.json"
    done = mine.perfgate("check", "--base", "HEAD", "--json", str(report))
    assert done.code not in {0, 1}, done.text
    assert verdicts(report) == {
        "engine": "unchanged",
        "app": "unchanged",
        "gone": "invalid",
        "half": "invalid",
        "killed": "invalid",
    }
    for words in ("no-such-tool cannot be started", "no JSON for latency", "was ended by SIGKILL"):
        assert words in done.text
    assert "Traceback" not in done.text


def test_a_job_over_its_memory_is_invalid_and_never_a_regression(tools: Project, tmp_path: Path) -> None:
    mine = tools.copy(tmp_path / "copy")
    limited = SUITE.replace("name: engine", "name: engine\n    memory_limit: 1 GB")
    mine.write({"perf_tools.yaml": limited, "trtexec.py": "bytearray(4 << 30)\n" + TRTEXEC})
    report = tmp_path / "report.json"
    done = mine.perfgate("check", "--base", "HEAD", "--json", str(report))
    assert done.code == 11, done.text
    assert verdicts(report) == {"engine": "invalid", "app": "unchanged"}
    assert "over its limit of 1.00 GB" in done.text


def test_a_dead_machine_is_no_regression_and_is_not_asked_forty_times(tools: Project, tmp_path: Path) -> None:
    """Both tools and eight others are killed: after six the breaker opens, and the gate is never green."""
    mine = tools.copy(tmp_path / "copy")
    killed = "import os; os.kill(os.getpid(), 9)\n"
    others = "".join(
        f"  - {{name: other{number}, command: [python, trtexec.py, '{number}']}}\n" for number in range(8)
    )
    mine.write(
        {"perf_tools.yaml": SUITE + others, "trtexec.py": killed, "benchmark_app.py": killed},
    )
    report = tmp_path / "report.json"
    done = mine.perfgate("check", "--base", "HEAD", "--json", str(report))
    assert done.code == 11, done.text
    assert set(verdicts(report).values()) == {"invalid"}
    assert len(verdicts(report)) == 10
    reasons = [item["reason"] for item in json.loads(report.read_text())["verdicts"]]
    assert sum("was ended by SIGKILL" in reason for reason in reasons) == 6
    refused = "not asked: 6 of the last 6 runs of the command backend were stopped"
    assert sum(refused in reason for reason in reasons) == 4


MODELS = """\
version: 1
defaults:
  backend: onnxruntime
  metrics: [latency, kernel_count]
  compile: {flags: {graph_optimization_level: all}}
benchmarks:
  - {name: squeezenet, model: "onnx:light_squeezenet", reference: {}}
"""


def test_an_optimisation_that_is_switched_off_is_found_with_the_operators_that_moved(tmp_path: Path) -> None:
    """The number of kernels does not depend on how busy this machine is; the time, about 1.5 times, does."""
    pytest.importorskip("onnxruntime", reason="the extra `ort` is not installed")
    mine = project(tmp_path, {"perf_models.yaml": MODELS})
    assert mine.perfgate("record", "-o", "../fast").code == 0
    mine.replace("perf_models.yaml", "level: all", "level: disable")
    assert mine.perfgate("record", "-o", "../slow").code == 0
    done = mine.perfgate("compare", "../fast", "../slow")
    assert done.code == 1, done.text
    assert re.search(r"kernel_count: \d+ -> \d+ +\+", done.out), done.out
    assert re.search(r"operator: #\d+ n\d+ \(\w+\)", done.out), done.out
    assert "graph_optimization_level all -> disable" in done.out
