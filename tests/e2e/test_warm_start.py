"""A command of the tests that shares the interpreter's start answers as one with a start of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e import warm_start
from tests.e2e.project import PLUGINS
from tests.repositories import clean_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.project import Project

FOLDER = Path(sys.executable).parent
SAID = """\
import os, signal, sys

def pytest_configure(config):
    print(os.getcwd(), sys.argv, sys.path[0] in sys.argv[0], sorted(os.environ))
    print("error stream", file=sys.stderr)
    if "DIE" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Without what would give every command a start of its own, whoever runs these tests."""
    for name in warm_start.COLD:
        monkeypatch.delenv(name, raising=False)
    yield monkeypatch
    assert warm_start._server.cache_info().currsize == 1  # noqa: SLF001 - the fork was taken


def both(
    monkeypatch: pytest.MonkeyPatch, words: list[str], folder: Path, **more: str
) -> list[tuple[int, str, str]]:
    """Code, output and errors of the command, forked and started."""
    answers = []
    for _ in range(2):
        done = warm_start.run_command(words, folder, clean_environment(**more), seconds=60)
        answers.append((done.returncode, done.stdout, done.stderr))
        monkeypatch.setenv("PERFGATE_COLD_START", "1")
    return answers


@pytest.mark.parametrize(
    "arguments", [("--version",), ("guard",), ("guard", "no-such-file"), ("guard", "--no-such"), ()]
)
def test_a_verb_answers_alike(
    started: pytest.MonkeyPatch, project: Project, arguments: tuple[str, ...]
) -> None:
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    warm, cold = both(started, [str(FOLDER / "perfgate"), *arguments], project.folder)
    assert warm == cold
    assert cold[1] + cold[2]


@pytest.mark.parametrize("more", [{}, {"ONE": "1"}, {"DIE": "1"}], ids=["plain", "variable", "killed"])
def test_pytest_sees_its_own_folder_words_and_variables(
    started: pytest.MonkeyPatch, project: Project, more: dict[str, str]
) -> None:
    project.write({"conftest.py": SAID})
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PERFGATE_COLD_START": "", **more}
    words = [str(FOLDER / "pytest"), *PLUGINS, "-s", "--collect-only"]
    warm, cold = both(started, words, project.folder, **alone)
    assert warm[0] == cold[0] == (-9 if "DIE" in more else 5)
    assert warm[1].splitlines()[:1] == cold[1].splitlines()[:1]
    assert warm[2] == cold[2] == "error stream\n"


def test_a_command_leaves_nothing_behind_for_the_next(started: pytest.MonkeyPatch, project: Project) -> None:
    del started
    project.write({"conftest.py": "import os, sys\nos.environ['LEFT'] = '1'\nsys.modules['yaml'] = None\n"})
    first = project.pytest("--setup-plan")
    assert first.code != 0, "the library that the hook took away is needed"
    (project.folder / "conftest.py").unlink()
    assert project.perfgate("guard").code == 0
    assert "LEFT" not in os.environ


def test_what_an_interpreter_reads_at_its_start_gives_it_one(project: Project) -> None:
    project.write({"early/sitecustomize.py": "import sys\nprint('early', file=sys.stderr)\n"})
    done = project.perfgate("--version", PYTHONPATH=str(project.folder / "early"))
    assert done.err == "early\n"


def test_a_command_that_never_ends_is_ended(started: pytest.MonkeyPatch, project: Project) -> None:
    del started
    project.write({"conftest.py": "import signal\nsignal.pause()\n"})
    words = [str(FOLDER / "pytest"), *PLUGINS]
    environment = clean_environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    with pytest.raises(subprocess.TimeoutExpired):
        warm_start.run_command(words, project.folder, environment, seconds=0.5)
    assert project.perfgate("guard").code == 0
