"""The plugin beside others, and when it is not asked for: nothing is imported, changed or said."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.repositories import clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project

HEAVY = ("numpy", "yaml", "onnx", "click", "rich", "msgspec", "git", "tabulate", "scipy")
PROBE = """
import sys
def pytest_unconfigure(config):
    loaded = sorted(name for name in sys.modules if name.split(".")[0] in {names!r})
    open({out!r}, "w").write("\\n".join(loaded))
"""


# Plugins that say or write something of their own.
WITHOUT_OTHERS = ("-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:benchmark")


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *WITHOUT_OTHERS, *arguments],
        cwd=folder,
        env=clean_environment(PYTEST_ADDOPTS=""),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A repository that has perfgate installed and does not use it."""
    (tmp_path / "test_a.py").write_text("def test_a():\n    assert True\n")
    (tmp_path / "perf_models.yaml").write_text("version: [broken\n")  # off: not even opened
    return tmp_path


def test_without_the_flag_no_module_of_ours_or_of_its_dependencies_is_loaded(plain: Path) -> None:
    out = plain / "modules"
    names = {"perfgate", *HEAVY}
    (plain / "conftest.py").write_text(PROBE.format(names=names, out=str(out)))
    done = pytest_in(plain, "--collect-only", "-q", "-p", "no:hypothesispytest", "-p", "no:cov")
    assert done.returncode == 0, done.stdout
    loaded = out.read_text().split()
    assert [name for name in loaded if name.split(".")[0] == "perfgate"] == [
        "perfgate",
        "perfgate.pytest_plugin",
        "perfgate.pytest_plugin.entry",
    ]
    assert [name for name in loaded if name.split(".")[0] != "perfgate"] == []


def test_without_the_flag_nothing_is_said_or_written(plain: Path) -> None:
    before = {path.name for path in plain.iterdir()}
    done = pytest_in(plain, "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert "perfgate" not in done.stdout.replace("perfgate-", "", 1)  # once, in pytest's own list of plugins
    assert {path.name for path in plain.iterdir()} - before <= {"__pycache__"}


def test_the_plugin_can_be_switched_off(plain: Path) -> None:
    assert pytest_in(plain, "-p", "no:perfgate").returncode == 0
    refused = pytest_in(plain, "-p", "no:perfgate", "--perfgate")
    assert refused.returncode == 4


def test_unit_tests_beside_the_gate_keep_their_own_outcome(project: Project) -> None:
    project.write({"test_own.py": "def test_ok(): pass\ndef test_bad(): assert False\n"})
    done = project.pytest("-k", "test_ok or test_bad or resnet50")
    assert done.code == 1, done.text
    assert "FAILED test_own.py::test_bad" in done.out
    assert "verdict: " in done.out
    green = project.pytest("-k", "test_ok or resnet50")
    assert green.code == 0, green.text


@pytest.mark.parametrize("arguments", [("-n", "2"), ("--continue-on-collection-errors",)])
def test_a_test_file_that_cannot_be_imported_is_red_although_all_benchmarks_are_green(
    project: Project, arguments: tuple[str, ...]
) -> None:
    project.write({"test_own.py": "import no_such_module\n"})
    done = project.pytest(*arguments)
    assert done.code == 1, done.text
    assert "4 unchanged" in done.out
    assert "verdict: FAIL (exit 1)" in done.out


def test_a_run_that_selects_no_benchmark_is_never_green(project: Project) -> None:
    project.write({"test_own.py": "def test_ok(): pass\n"})
    done = project.pytest("-k", "test_ok")
    assert done.code == 11, done.text
    nothing = project.pytest("-k", "no_such_thing")
    assert nothing.code == 5, nothing.text
    assert "pytest ends with its own exit code 5" in nothing.out
    assert "own exit code" not in done.out


def test_collect_only_lists_and_measures_nothing(project: Project) -> None:
    done = project.pytest("--collect-only", "-q")
    assert done.code == 0, done.text
    assert "perf_models.yaml::sd_unet[ascend-310p-like]" in done.out
    assert "guardrails.yaml::atc_convert/require/--optypelayout" in done.out
    assert "verdict" not in done.out


@pytest.mark.parametrize("option", ["--setup-plan", "--fixtures"])
def test_options_that_run_nothing_judge_nothing(project: Project, option: str) -> None:
    done = project.pytest(option)
    assert done.code == 0, done.text
    assert "verdict" not in done.out


def test_a_project_in_a_subfolder_of_its_repository_is_gated_like_one_at_the_top(project: Project) -> None:
    project.write({"sub/.keep": ""})
    for name in ("perf_models.yaml", "deploy", "guardrails.yaml", "perfgate.yaml", "baselines"):
        project.git("mv", name, f"sub/{name}")
    project.commit("move it down")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    inner = project.copy(project.folder.parent / "inner")
    inner.folder = inner.folder / "sub"
    inner.write({"pytest.ini": "[pytest]\n"})
    for done in (inner.perfgate("check"), inner.pytest()):
        assert done.code == 0, done.text
        assert "4 unchanged" in done.out
    inner.replace("deploy/convert.sh", "NHWC", "NCHW")
    for done in (inner.perfgate("check"), inner.pytest()):
        assert done.code == 1, done.text
        assert "deploy/convert.sh:4:5" in done.out


def test_warnings_as_errors_do_not_break_the_gate(project: Project) -> None:
    done = project.pytest("-W", "error", "-n", "2")
    assert done.code == 0, done.text


def test_a_broken_test_with_exitfirst_leaves_benchmarks_not_judged(project: Project) -> None:
    project.write({"aa_test.py": "", "test_own.py": "def test_bad(): assert False\n"})
    done = project.pytest("-x", "-rs", "perf_models.yaml", "test_own.py")
    assert done.code == 1, done.text
    assert "not judged" in done.out
    assert "passed" not in done.out.strip().splitlines()[-1].replace("1 passed", "")  # the guardrail alone


def test_a_missing_benchmark_is_red_and_a_renamed_one_is_new_as_well(project: Project) -> None:
    project.replace("perf_models.yaml", "name: resnet50", "name: resnet_fifty")
    done = project.pytest()
    assert done.code == 1, done.text
    assert "FAILED baselines::resnet50[ascend-310p-like]" in done.out
    assert "2 missing" in done.out
    assert "2 new" in done.out


def test_an_easier_benchmark_is_changed_never_green(project: Project) -> None:
    project.replace("perf_models.yaml", "samples: 20", "samples: 10")
    done = project.perfgate("check")
    assert done.code == 1, done.text
    assert "4 changed" in done.out
    assert "protocol samples 20 -> 10" in done.out


def test_the_first_run_without_baselines_compares_nothing(project: Project) -> None:
    project.git("rm", "-rq", "baselines")
    project.commit("no baselines")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    done = project.pytest()
    assert done.code == 11, done.text
    assert "4 new" in done.out


def test_output_to_a_closed_pipe_ends_quietly(project: Project) -> None:
    command = f"'{sys.executable}' -m perfgate.cli.main -q guard schema | head -n 1"
    done = subprocess.run(  # noqa: S602 - the pipe is what is tested
        command,
        shell=True,
        cwd=project.folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_narrow_terminal_shows_which_device(project: Project) -> None:
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    done = project.perfgate("-q", "check", "-k", "resnet50", COLUMNS="40")
    assert done.code == 1
    assert "resnet50[ascend-310p-like]" in done.out
    assert "resnet50[ascend-910b-like]" in done.out


def test_a_read_only_checkout_can_be_judged(project: Project) -> None:
    subprocess.run(["chmod", "-R", "a-w", str(project.folder)], check=True)
    try:
        done = project.perfgate("check", "-k", "resnet50")
        assert done.code == 0, done.text
        tested = project.pytest("-p", "no:cacheprovider", "-k", "resnet50")
        assert tested.code == 0, tested.text
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(project.folder)], check=True)


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_an_interrupt_leaves_measured_benchmarks_not_judged(
    project: Project, arguments: tuple[str, ...]
) -> None:
    project.write({"test_own.py": "def test_stop(): raise KeyboardInterrupt\n"})
    done = project.pytest("-rs", "perf_models.yaml", "test_own.py", *arguments)
    assert done.code == 2, done.text
    assert "INTERNALERROR" not in done.text
    assert "verdict: PASS" not in done.text


def test_a_worker_that_dies_makes_its_benchmark_red(project: Project) -> None:
    project.write(
        {
            "conftest.py": "import os\n"
            "def pytest_runtest_setup(item):\n"
            "    if item.name == 'resnet50[ascend-310p-like]' and 'PYTEST_XDIST_WORKER' in os.environ:\n"
            "        os._exit(9)\n"
        }
    )
    done = project.pytest("-n", "2")
    assert done.code == 1, done.text
    assert "crashed" in done.out
    assert "3 unchanged" in done.out


def test_a_benchmark_that_a_hook_skips_is_not_green(project: Project) -> None:
    project.write(
        {
            "conftest.py": "import pytest\n"
            "def pytest_runtest_setup(item):\n"
            "    if item.name == 'resnet50[ascend-310p-like]':\n"
            "        pytest.skip('not today')\n"
        }
    )
    done = project.pytest()
    assert done.code == 11, done.text
    assert "it failed or was skipped before it was measured" in done.out
    assert "1 invalid" in done.out
