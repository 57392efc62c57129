"""A real Python repository: a set-up command, a lock file, a benchmark newer than the good end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bisect_world import World
from tests.e2e.bisect_command import Bisection, culprits
from tests.repository_state import running, state_of
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
version: 1
benchmarks:
  - {name: parse, backend: python, call: "app.work:parse", samples: 10}
"""
SET_UP = "import pathlib\npathlib.Path('app/generated.py').write_text('READY = True\\n')\n"


def work(rounds: int) -> str:
    """The product: it does not even import before the set-up command has run."""
    return f"from app.generated import READY\n\n\ndef parse():\n    return sum(range({rounds})) + READY\n"


def test_the_commit_that_made_a_function_slower_is_named(tmp_path: Path) -> None:
    """The user's own tree is on the search path, as by an editable installation, and holds other code."""
    history = History()
    product = {"app/__init__.py": "", "app/work.py": work(20_000), "setup_app.py": SET_UP, "uv.lock": "1\n"}
    good = history.commit("start", {**product, ".gitignore": "app/generated.py\n"})
    history.commit("a module", {"app/other.py": "A = 1\n"})
    history.commit("other dependencies", {"uv.lock": "2\n"})
    culprit = history.commit("parse more", {"app/work.py": work(80_000)})
    history.commit("a benchmark", {"perf_app.yaml": SUITE})
    bad = history.commit("words", {"README.md": "words\n"})
    repository, marks = history.write(tmp_path / "repository")
    repository.write({"app/work.py": work(10), "app/generated.py": "READY = False\n"})
    before = state_of(repository.folder)
    bisection = Bisection(World(repository, marks[good], marks[bad], marks[culprit]), tmp_path / "cache")
    arguments = ("--setup", "python3 setup_app.py", "--metric", "latency")
    report = bisection.report(*arguments, PYTHONPATH=str(repository.folder), PYTHONDONTWRITEBYTECODE="1")
    assert culprits(report) == [marks[culprit]]
    effect = report["findings"][0]["effect"]["relative"]
    assert 1.5 < effect < 6  # four times the work, on a machine that others use as well
    assert sorted(report["placed"]) == ["perf_app.yaml", "uv.lock"]
    assert "lock files change in" in " ".join(report["notes"])
    assert state_of(repository.folder) == before
    assert bisection.left_behind() == []
    assert running(str(tmp_path)) == []
