"""A project with suite, ordinary and pytest-benchmark tests, under the plugins that teams use with ours.

pytest-xdist, pytest-cov, pytest-randomly and pytest-benchmark share one environment; `-W error` in every run.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import template
from tests.repositories import clean_environment

if TYPE_CHECKING:
    from tests.e2e.project import Project, Result

__all__ = ["template"]

FILES: dict[str, str | bytes] = {
    "shop.py": "def price(count):\n    if count < 0:\n        return 0\n    return 3 * count\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 6\n"
    + "".join(f"\n\ndef test_{number}():\n    assert shop.price({number}) >= 0\n" for number in range(8)),
    "tests/test_speed.py": "import shop\n\n\ndef test_speed(benchmark):\n    benchmark(shop.price, 2)\n",
    "pytest.ini": "[pytest]\npythonpath = .\n",
}
COUNTS = "4 unchanged"


@pytest.fixture(scope="module")
def mixed(template: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project with its own tests, merged."""
    project = template.copy(tmp_path_factory.mktemp("mixed") / "project")
    project.commit("tests of our own", FILES)
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    return project


def gate(project: Project, *arguments: str) -> Result:
    return project.run("pytest", "--perfgate", "-W", "error", *arguments)


SETTINGS: dict[str, tuple[str, ...]] = {
    "all": ("--benchmark-max-time=0.01", "--benchmark-min-rounds=1"),
    "workers": ("-n", "2"),
    "coverage": ("--cov=shop", "--cov-branch", "--benchmark-disable"),
    "workers and coverage": ("-n", "2", "--cov=shop", "--benchmark-disable"),
    "another order": ("--randomly-seed=7", "--benchmark-disable"),
    "no order": ("-p", "no:randomly", "--benchmark-skip"),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_verdicts_are_the_same_under_every_plugin(mixed: Project, setting: str) -> None:
    done = gate(mixed, *SETTINGS[setting])
    assert done.code == 0, done.text
    assert COUNTS in done.out
    assert "verdict: PASS (exit 0)" in done.out
    if "coverage" in setting:
        assert re.search(r"shop\.py +4 +1\b.* \d+%", done.out), done.out


@pytest.mark.parametrize("arguments", [(), ("-n", "2", "--cov=shop", "--benchmark-disable")])
def test_a_regression_is_red_beside_all_of_them(
    mixed: Project, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    project = mixed.copy(tmp_path / "slow")
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    done = gate(project, *arguments)
    assert done.code == 1, done.text
    assert "2 regressed" in done.out
    assert re.search(r"2 failed, \d+ passed", done.out)


def test_randomly_orders_the_tests_and_leaves_guardrails_first(mixed: Project) -> None:
    orders = set()
    for seed in ("1", "2"):
        done = gate(mixed, "-v", "--benchmark-skip", f"--randomly-seed={seed}")
        assert done.code == 0, done.text
        found = re.findall(r"(?m)^(\S+::\S+) ", done.out)
        assert found[0].startswith("guardrails.yaml::")
        orders.add(tuple(found))
    assert len(orders) == 2


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_without_ours_the_others_work_as_before(mixed: Project, arguments: tuple[str, ...]) -> None:
    done = mixed.run("pytest", "-p", "no:perfgate", "-W", "error", "--benchmark-disable", *arguments)
    assert done.code == 0, done.text
    assert "10 passed" in done.out
    assert "perfgate" not in done.out.replace(str(mixed.folder), "")


def piped(project: Project, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(  # noqa: S602 - the pipe is what is tested
        command,
        shell=True,
        cwd=project.folder,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "INTERNALERROR" not in done.stdout + done.stderr
    return done


def test_output_to_head_and_forty_columns_do_not_crash(mixed: Project) -> None:
    program = shlex.quote(str(Path(sys.executable).parent / "pytest"))
    command = f"{program} --perfgate --benchmark-skip -W error"
    cut = piped(mixed, f"{command} | head -n 3")
    assert len(cut.stdout.splitlines()) == 3
    assert "Traceback" not in cut.stderr
    narrow = piped(mixed, command, COLUMNS="40")
    assert narrow.returncode == 0, narrow.stdout
    assert COUNTS in narrow.stdout
