"""`perfgate check --against REV`: base and head built and measured in one job, in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.project import Project

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
version: 1
defaults: {backend: python}
benchmarks:
  - {name: work, call: "mine.work:work"}
"""
WORK = "def work():\n    return sum(number * number for number in range(20_000))\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A package below `src`, importable through the variable that names it."""
    monkeypatch.setenv("PERFGATE_CACHE", str(tmp_path / "cache"))
    made = Project(tmp_path / "mine")
    made.commit("start", {"perf_mine.yaml": SUITE, "src/mine/__init__.py": "", "src/mine/work.py": WORK})
    return made


def check(project: Project, *arguments: str) -> tuple[int, str]:
    done = project.perfgate("check", "--against", *arguments, PYTHONPATH=str(project.folder / "src"))
    return done.code, done.text


def test_a_slow_down_is_found_without_any_baseline_and_nothing_is_left(project: Project) -> None:
    project.replace("src/mine/work.py", "20_000", "60_000")
    before = project.git("status", "--porcelain"), project.git("worktree", "list")
    code, text = check(project, "HEAD")
    assert code == 1, text
    assert "regressed: latency +" in text
    assert "--against HEAD, in turns" in text
    assert (project.git("status", "--porcelain"), project.git("worktree", "list")) == before


def test_the_set_up_builds_both_sides(project: Project) -> None:
    project.commit("a build", {"make.sh": "echo 20000 > size\n", ".gitignore": "size\n"})
    built = WORK.replace("20_000", "SIZE")
    project.write({"src/mine/work.py": f"SIZE = int(open('size').read())\n\n\n{built}"})
    code, text = check(project, "HEAD", "--setup", "sh make.sh")
    assert code == 0, text
    assert "1 of 1 judged" in text
    code, text = check(project, "HEAD", "--setup", "false")
    assert code == 2, text
    assert "cannot be built" in text


def test_mistakes_are_one_line(project: Project) -> None:
    assert check(project, "HEAD") == (
        2,
        "perfgate: the working tree is what it is compared with: --against: name another revision\n",
    )
    code, text = check(project, "--output=x")
    assert code == 2
    assert "Traceback" not in text
    project.replace("src/mine/work.py", "return", "raise ValueError('no') #")
    code, text = check(project, "HEAD")
    assert code == 11
    assert "a run failed" in text
    assert "ValueError" in text
