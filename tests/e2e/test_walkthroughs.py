"""Pages that are followed from top to bottom do what they show, with the real commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.architecture.source import ROOT
from tests.documentation.links import pages
from tests.documentation.walkthrough import first_missing, starts, steps
from tests.e2e.warm_start import run_command
from tests.repositories import clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.documentation.walkthrough import Step

DOCS = ROOT / "docs"
FOLLOWED = {str(page.relative_to(DOCS)): before for page in pages() if (before := starts(page)) is not None}
FIRST = "QUICKSTART.md"
PROGRAMS = Path(sys.executable).parent
SHELL_SIGNS = re.compile(r"[|&;<>$`*]")


class Followed:
    """The folder that a reader of a page ends with."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.folder = place / "mine"
        self.folder.mkdir(parents=True)

    def follow(self, page: str) -> None:
        """Do what the page says, and compare what it shows."""
        for step in steps(DOCS / page):
            if step.path:
                path = self.folder / step.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text, encoding="utf-8")
            else:
                self._run(page, step)

    def copy(self, place: Path) -> Followed:
        """A copy to go on with."""
        copied = Followed(place)
        shutil.copytree(self.folder, copied.folder, dirs_exist_ok=True)
        return copied

    def _run(self, page: str, step: Step) -> None:
        environment = clean_environment(PERFGATE_CACHE=str(self.place / "cache"), HOME=str(self.place))
        words = shlex.split(step.text)
        if words[0] in {"perfgate", "pytest"} and not SHELL_SIGNS.search(step.text):
            run: Callable[..., subprocess.CompletedProcess[str]] = partial(
                run_command, [str(PROGRAMS / words[0]), *words[1:]], self.folder, environment, 120
            )
        else:
            path = f"{PROGRAMS}{os.pathsep}{environment['PATH']}"
            run = partial(
                subprocess.run,
                ["bash", "-c", step.text],
                cwd=self.folder,
                env=environment | {"PATH": path},
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
        done = run()
        said = f"docs/{page}:{step.line}: $ {step.text}\n{done.stdout}{done.stderr}"
        assert done.returncode == step.exit_code, said
        assert "Traceback" not in done.stdout + done.stderr, said
        missing = first_missing(step.shown, done.stdout)
        assert missing is None, f"{said}\nnot printed as shown: {missing}"


@pytest.fixture(scope="module")
def beginner(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """Who followed the quick start."""
    followed = Followed(tmp_path_factory.mktemp("quickstart"))
    followed.follow(FIRST)
    return followed


def test_a_newcomer_reaches_a_red_gate_and_its_repair_in_an_empty_folder(beginner: Followed) -> None:
    assert FOLLOWED[FIRST] == ""
    codes = [step.exit_code for step in steps(DOCS / FIRST) if step.text.startswith("perfgate check")]
    assert codes[0] == 11  # nothing to compare with
    assert 1 in codes
    assert codes[-1] == 0
    assert (beginner.folder / "baselines").is_dir()


@pytest.mark.parametrize("page", sorted(FOLLOWED.keys() - {FIRST}))
def test_a_page_that_goes_on_does_what_it_shows(page: str, beginner: Followed, tmp_path: Path) -> None:
    followed = Followed(tmp_path) if not FOLLOWED[page] else beginner.copy(tmp_path)
    assert FOLLOWED[page] in {"", FIRST}
    followed.follow(page)
