"""The `perfgate` fixture in a user's tests: models and timed functions, with and without the gate."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.e2e.fixture_project import RUNS, build_test_project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project, Result

MODELS = "tests/test_models.py"
TIMED = "tests/test_timed.py"
LAYOUT = ("deploy/convert.sh", "--optypelayout=NHWC", "--optypelayout=NCHW")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The repository as it was committed; never changed."""
    return build_test_project(tmp_path_factory.mktemp("fixture"))


@pytest.fixture
def project(accepted: Project, tmp_path: Path) -> Project:
    """A copy to change."""
    return accepted.copy(tmp_path / "project")


def gate(project: Project, *arguments: str, **environment: str) -> Result:
    return project.pytest("--perfgate-runs", RUNS, *arguments, **environment)


def test_without_the_gate_the_tests_are_ordinary_tests(project: Project) -> None:
    done = project.run("pytest", "-p", "no:randomly")
    assert done.code == 0, done.text
    assert "4 passed" in done.out
    assert "perfgate" not in done.out.replace("perfgate-", "")  # but in the list of plugins


def test_models_of_tests_are_judged_and_a_flipped_flag_stops_them_at_its_line(project: Project) -> None:
    done = gate(project, MODELS)
    assert done.code == 0, done.text
    assert "2 unchanged" in done.out
    project.replace(*LAYOUT)
    done = gate(project, MODELS)
    assert done.code == 1, done.text
    assert "deploy/convert.sh:2:33" in done.out
    assert "1 failed, 2 skipped" in done.out
    assert "missing" not in done.out.lower()


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_measured_in_spite_of_the_guardrail_a_test_names_the_flag(
    project: Project, arguments: tuple[str, ...]
) -> None:
    project.replace(*LAYOUT)
    done = gate(project, MODELS, "--perfgate-on-guardrail", "measure", *arguments)
    assert done.code == 1, done.text
    text = done.out[done.out.index("__ test_unet[ascend-310p-like] __") :]
    assert "regressed: latency" in text.splitlines()[1]
    assert "deploy/convert.sh:2:33 --optypelayout NHWC -> NCHW" in text
    assert "next: pytest --perfgate 'tests/test_models.py::test_unet[ascend-310p-like]'" in text


def test_timed_tests_are_found_four_times_slower_with_one_report_each(project: Project) -> None:
    project.replace("work.py", "range(n)", "range(4 * n)")
    project.replace(TIMED, "8995500500", "575928002000")
    done = gate(project, TIMED, "--junitxml", "junit.xml")
    assert done.code == 1, done.text
    assert "regressed: latency +" in done.out
    assert "FAILED tests/test_timed.py::test_count - regressed" in done.out
    report = ET.parse(project.folder / "junit.xml")  # noqa: S314 - written by our own run
    cases = report.getroot().findall(".//testcase")
    assert [case.get("name") for case in cases].count("test_count") == 1
    count = next(case for case in cases if case.get("name") == "test_count")
    found = {item.get("name"): item.get("value") for item in count.iter("property")}
    assert found["perfgate.verdict"] == "regressed"
    assert float(found["perfgate.delta_pct"] or 0) > 100


def test_a_coroutine_function_is_awaited_in_rounds(project: Project) -> None:
    body = (
        "import asyncio\n\ncalls = []\n\n\n"
        "async def work():\n    await asyncio.sleep(0)\n    calls.append(1)\n    return 7\n\n\n"
        "def test_it(perfgate):\n    assert perfgate(work) == 7\n    assert len(calls) > 20\n\n\n"
        "def test_inside(perfgate):\n"
        "    async def main():\n        return await perfgate.aio(work)\n\n"
        "    assert asyncio.run(main()) == 7\n"
    )
    project.write({"tests/test_async.py": body})
    done = gate(project, "tests/test_async.py")
    assert done.code == 11, done.text  # both are new
    assert "2 new" in done.out


def test_timed_tests_are_refused_among_workers_in_one_line(project: Project) -> None:
    done = gate(project, "-n", "2")
    assert done.code == 4, done.text
    assert "timed benchmarks cannot share the machine: drop -n, or add -m 'not timed'" in done.out
    done = gate(project, "-n", "2", "-m", "not timed")
    assert done.code == 0, done.text
    assert "2 unchanged" in done.out


def test_a_timed_measurement_behind_a_helper_is_refused_among_workers_too(project: Project) -> None:
    helper = "def measure(fixture):\n    fixture(sum, [1])\n\n\n"
    project.write({"tests/test_hidden.py": f"{helper}def test_hidden(perfgate):\n    measure(perfgate)\n"})
    done = gate(project, "-n", "2", "tests/test_hidden.py")
    assert done.code == 1, done.text
    assert "timed benchmarks cannot share the machine" in done.out


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("def test_unet(", "def unet(", "its test is gone: tests/test_models.py::test_unet[a100-like]"),
        (
            "    result = perfgate",
            '    pytest.skip("not today")\n    result = perfgate',
            "its test was skipped: not today",
        ),
        (
            "    result = perfgate",
            "    return\n    result = perfgate",
            "its test passed and did not measure it",
        ),
        ('("ascend-310p-like", "a100-like")', '("ascend-310p-like")', "its test is gone"),
    ],
)
def test_a_test_that_no_longer_measures_is_missing_and_says_why(
    project: Project, old: str, new: str, word: str
) -> None:
    project.replace(MODELS, old, new)
    done = gate(project, MODELS)
    assert done.code == 1, done.text
    assert "missing on a100-like: has a baseline but was not measured" in done.out
    assert word in done.out


def test_a_renamed_test_is_missing_and_new(project: Project) -> None:
    project.replace(MODELS, "def test_unet(", "def test_net(")
    done = gate(project, MODELS)
    assert done.code == 1, done.text
    assert "2 missing" in done.out
    assert "2 new" in done.out


def test_unselected_tests_are_not_missing_and_the_verdict_is_partial(project: Project) -> None:
    for selection in (
        ("-k", "a100"),
        ("--perfgate-device", "a100-like"),
        (f"{MODELS}::test_unet[a100-like]",),
    ):
        done = gate(project, "-m", "not timed", *selection)
        assert done.code == 0, done.text
        assert "1 unchanged" in done.out, selection
        assert "missing" not in done.out.lower(), selection


def test_a_group_selects_its_tests(project: Project) -> None:
    project.replace(MODELS, "@pytest.mark", '@pytest.mark.perfgate(group="vision")\n@pytest.mark')
    done = gate(project, "-k", "vision")
    assert done.code == 0, done.text
    assert "2 unchanged" in done.out


TOOL = """\
import sys
print("warming up")
for value in (3.1, 3.0, 3.2, 3.1, 3.0):
    print(f"time: {value * float(sys.argv[1])} ms")
"""
TOOL_TEST = """\
import sys


def test_tool(perfgate):
    result = perfgate.command(
        [sys.executable, "tool.py", "1"],
        metrics={"latency": r"time: ([0-9.]+) ms"},
        limit={"latency": "<=40ms"},
    )
    assert result.metric("latency").value < 0.1
"""


def test_a_program_is_measured_from_a_test_by_what_it_reports(project: Project) -> None:
    project.commit("a tool", {"tool.py": TOOL, "tests/test_tool.py": TOOL_TEST})
    plain = project.run("pytest", "-p", "no:randomly", "tests/test_tool.py")
    assert plain.code == 0, plain.text
    first = gate(project, "tests/test_tool.py", "--perfgate-records", "new/tool")
    assert first.code == 11, first.text
    done = project.perfgate("baseline", "update", "--from", "new/tool", "--reason", "a tool")
    assert done.code == 0, done.text
    project.commit("accept it")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    project.replace("tests/test_tool.py", '"1"]', '"1.5"]')
    changed = gate(project, "tests/test_tool.py")
    assert changed.code == 1, changed.text
    assert "protocol command" in changed.out  # the command line says how much work is done
    project.git("checkout", "-q", ".")
    project.replace("tool.py", "(3.1, 3.0, 3.2, 3.1, 3.0)", "(4.1, 4.0, 4.2, 4.1, 4.0)")
    slower = gate(project, "tests/test_tool.py")
    assert slower.code == 1, slower.text
    assert "regressed: latency +3" in slower.out
    project.replace("tool.py", "(4.1, 4.0, 4.2, 4.1, 4.0)", "(51, 50, 52, 51, 50)")
    assert "over budget" in gate(project, "tests/test_tool.py").out


def test_a_budget_of_a_test_fails_it_whatever_the_baseline(project: Project) -> None:
    project.replace(MODELS, 'compile_command="atc"', 'compile_command="atc", limit={"peak_memory": "<=1KiB"}')
    done = gate(project, MODELS)
    assert done.code == 1, done.text
    assert "over budget: peak_memory" in done.out


def test_a_marker_cannot_loosen_what_base_says(project: Project) -> None:
    project.replace(MODELS, "@pytest.mark", '@pytest.mark.perfgate(min_effect="50%")\n@pytest.mark')
    done = gate(project, MODELS)
    assert done.code == 0, done.text
    assert "looser than base, so not applied" in done.out
    assert "min_effect" in done.out


MISTAKES = {
    "a second unnamed measurement": (
        "perfgate(sum, [1]); perfgate(sum, [1])",
        "a second measurement without a name",
    ),
    "one name twice": (
        'perfgate.named("a")(sum, [1]); perfgate.named("a")(sum, [1])',
        "the name 'a' twice",
    ),
    "a lambda that returns a coroutine": (
        "import work; perfgate(lambda: work.fetch())",
        "returned a coroutine; nothing was timed",
    ),
    "an unknown argument": ('perfgate.model("zoo:resnet50", devise="a100-like")', "devise"),
    "an unknown device": ('perfgate.model("zoo:resnet50", device="a100")', "a100-like"),
    "an unreadable limit": (
        'perfgate.model("zoo:resnet50", device="a100-like", limit={"latency": "33"})',
        "'33' is no value of latency",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("is_on", [False, True])
def test_a_mistake_in_a_test_is_a_failure_that_says_so(
    project: Project,
    name: str,
    is_on: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    body, word = MISTAKES[name]
    project.write({"tests/test_wrong.py": f"def test_wrong(perfgate):\n    {body}\n"})
    done = (
        gate(project, "tests/test_wrong.py")
        if is_on
        else project.run("pytest", "-p", "no:randomly", "tests/test_wrong.py")
    )
    assert done.code == 1, done.text
    assert word in done.out
    assert "1 failed" in done.out
    assert "perfgate/pytest_plugin" not in done.out  # no frame of ours in the traceback


def test_an_unknown_keyword_of_the_marker_names_the_test(project: Project) -> None:
    project.replace(MODELS, "@pytest.mark", '@pytest.mark.perfgate(min_efect="1%")\n@pytest.mark')
    done = gate(project, MODELS)
    assert done.code == 4, done.text
    assert "unknown keyword 'min_efect'" in done.text
    assert "test_unet" in done.text
    assert "min_effect" in done.text


def test_an_address_in_a_parameter_id_is_refused(project: Project) -> None:
    body = (
        "import pytest\n\n\n"
        '@pytest.mark.parametrize("it", [1], ids=["<obj at 0x7f3a5c>"])\n'
        "def test_id(perfgate, it):\n    perfgate(sum, [1])\n"
    )
    project.write({"tests/test_id.py": body})
    done = gate(project, "tests/test_id.py")
    assert done.code == 1, done.text
    assert "holds a memory address" in done.out


IN_CHILD = 'import os\nCHILD = "PERFGATE_CHILD" in os.environ\n\n\n'
ENDINGS = {
    "leaves": ("os._exit(3)", "the process ended with exit code 3"),
    "is killed": ("os.kill(os.getpid(), 9)", "the process was ended by SIGKILL"),
    "hangs": ("while True: pass", "did not come back within 2 s"),
    "fails": ("1 / 0", "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_test_that_ends_its_fresh_process_is_named_and_the_others_are_judged(
    project: Project, name: str
) -> None:
    code, word = ENDINGS[name]
    body = f"{IN_CHILD}def work():\n    if CHILD:\n        {code}\n\n\n"
    project.write({"tests/test_a_bad.py": f"{body}def test_bad(perfgate):\n    perfgate(work)\n"})
    done = gate(project, "tests/test_a_bad.py", MODELS, "--perfgate-timeout", "2s")
    assert done.code == 11, done.text
    assert re.search(rf"invalid on [^:]*: run 1 in a fresh process: .*{re.escape(word)}", done.out), done.out
    assert "1 failed" in done.out
    assert "2 unchanged" in done.out


def test_an_interrupt_during_the_further_runs_leaves_everything_not_judged(project: Project) -> None:
    """The fresh process interrupts its parent, as Ctrl-C would."""
    body = (
        f"{IN_CHILD}import signal, time\n\n\ndef work():\n    if CHILD:\n"
        "        os.kill(os.getppid(), signal.SIGINT)\n        time.sleep(60)\n\n\n"
    )
    project.write({"tests/test_a_bad.py": f"{body}def test_bad(perfgate):\n    perfgate(work)\n"})
    done = gate(project, "-rs", "tests/test_a_bad.py", MODELS)
    assert done.code == 2, done.text
    assert done.out.count("not judged, the run stopped before the last measurement") >= 1
    assert "verdict: PASS" not in done.out
    assert "INTERNALERROR" not in done.text


def test_code_that_hangs_in_the_first_run_is_ended_and_named(project: Project) -> None:
    body = "def work():\n    while True: pass\n\n\ndef test_bad(perfgate):\n    perfgate(work)\n"
    project.write({"tests/test_a_bad.py": body})
    done = gate(project, "tests/test_a_bad.py", MODELS, "--perfgate-timeout", "1s")
    assert done.code == 1, done.text
    assert "did not come back within 1 s" in done.out
    assert "2 unchanged" in done.out


def test_measured_code_leaves_nothing_behind_for_the_next_test(project: Project) -> None:
    body = (
        "import os\n\n\n"
        "def work():\n"
        '    os.chdir("/")\n'
        '    print("x" * 100_000)\n\n\n'
        "def test_rude(perfgate):\n    perfgate(work)\n\n\n"
        "def test_next():\n    assert os.path.exists('work.py')\n"
    )
    project.write({"tests/test_rude.py": body})
    done = gate(project, "tests/test_rude.py", MODELS)
    assert "2 unchanged" in done.out, done.text
    assert done.code == 0, done.text
