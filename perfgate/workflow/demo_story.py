"""The story of `perfgate demo`: real commands in a real repository, from the red gate to the guardrail."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from perfgate.workflow.demo_repository import ACCEPTED, DemoRepository

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable
    from pathlib import Path

    Say = Callable[[str], None]

KEPT = ".perfgate/demo"  # what the steps hand to each other
BENCHMARK = "sd3_poster"
PLAN = "optimization_plan"
INCIDENT = "sd3 layout"
_QUIET = frozenset({"check", "record", "bisect", "diagnose"})
_SHOWN = ("deploy/convert.sh", "deploy/runtime_config.yaml", "guardrails.yaml")


@dataclass(slots=True)
class Story:
    """Runs commands of the user in the repository and shows them; `wrong`: what did not end as told."""

    folder: Path
    say: Say
    wrong: list[str] = field(default_factory=list)

    def tell(self, text: str) -> None:
        """A line of the story."""
        self.say(f"\n== {text}")

    def perfgate(self, *arguments: str, ends: int = 0, is_shown: bool = True) -> None:
        """A command of ours; `ends` is the exit code that the story needs."""
        # Progress lines and remarks would hide the story; what these verbs answer is their result.
        quiet = ["-q"] if arguments[0] in _QUIET else []
        program = [sys.executable, "-m", "perfgate.cli.main", *quiet]
        self._run(program, "perfgate", arguments, ends, is_shown)

    def git(self, *arguments: str) -> None:
        """A command of git."""
        self._run(["git"], "git", arguments, 0, is_shown=True)

    def _run(
        self,
        program: list[str],
        name: str,
        arguments: tuple[str, ...],
        ends: int,
        is_shown: bool,  # noqa: FBT001 - private
    ) -> None:
        command = " ".join([name, *(shlex.quote(word) for word in arguments)])
        if is_shown:
            self.say(f"$ {command}")
        done = subprocess.run(  # noqa: S603 - our own command line and git, with constants
            [*program, *arguments],
            cwd=self.folder,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if is_shown or done.returncode != ends:
            self.say((done.stdout + done.stderr).rstrip())
        if done.returncode != ends:
            self.wrong.append(f"{command}: exit {done.returncode}, not {ends}")
        elif ends and is_shown:
            self.say(f"(exit {done.returncode})")


def _environment() -> dict[str, str]:
    """The user's, without what would point git elsewhere or make a CI run of it."""
    hidden = {"CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH", "GITHUB_BASE_REF"}
    return {
        name: value
        for name, value in os.environ.items()
        if name not in hidden and not name.startswith(("GIT_", "PERFGATE_"))
    } | {"GIT_PAGER": "cat"}


def tell_story(folder: Path, now: dt.datetime, say: Say) -> ExitCode:
    """Build the repository, walk the loop, leave the repository behind; 1 when a step did not end as told.

    Raises:
        UsageError: the folder is not empty or cannot be written.
    """
    started = time.monotonic()
    repository = DemoRepository(folder, now)
    story = Story(folder, say)
    try:
        _prepare(story, repository)
    finally:
        repository.close()
    _find(story)
    _mend(story)
    _prevent(story)
    say(f"\nThe repository stays in {folder}. {time.monotonic() - started:.0f} s.")
    for line in story.wrong:
        say(f"not as told: {line}")
    return ExitCode.FAIL if story.wrong else ExitCode.PASS


def _prepare(story: Story, repository: DemoRepository) -> None:
    story.tell("a poster service: its compile script, its benchmark, the accepted values")
    repository.start()
    story.perfgate("baseline", "update", "--reason", "first baselines")
    repository.accept()
    repository.grow()
    story.git("log", "--date=relative", "--format=%h  %ad  %an  %s")


def _find(story: Story) -> None:
    story.tell("customers say that posters take four times as long; the gate says so too, and why")
    story.perfgate("check", ends=int(ExitCode.FAIL))
    story.tell("which commit: measured, in a private copy of the repository")
    story.perfgate(
        "bisect", "--good", ACCEPTED, "--bad", "HEAD", "-b", BENCHMARK, "--json", f"{KEPT}/bisection.json"
    )
    story.tell("the whole diagnosis, with the commit in it")
    story.perfgate("diagnose", "--bisect", f"{KEPT}/bisection.json", "-o", f"{KEPT}/diagnosis.json")


def _mend(story: Story) -> None:
    story.tell("a plan: every fix was simulated; applied, measured again, held against what was promised")
    story.perfgate("record", "--profile", "-o", f"{KEPT}/before", is_shown=False)
    story.perfgate("optimize", "--diagnosis", f"{KEPT}/diagnosis.json", "-o", PLAN)
    story.perfgate("optimize", "--apply", "-o", PLAN)
    story.git("diff", "--stat")
    story.perfgate("record", "--profile", "-o", f"{KEPT}/after", is_shown=False)
    story.perfgate(
        "validate", "--before", f"{KEPT}/before", "--after", f"{KEPT}/after", "--plan", PLAN,
        "--json", f"{KEPT}/validation.json",
    )  # fmt: skip


def _prevent(story: Story) -> None:
    story.tell("the post-mortem, and one line that rejects the same mistake before anything is measured")
    story.perfgate(
        "postmortem", "--diagnosis", f"{KEPT}/diagnosis.json", "--incident", INCIDENT,
        "--validation", f"{KEPT}/validation.json", "--bisect", f"{KEPT}/bisection.json",
        "--append-guardrail", "-o", "postmortem.md",
    )  # fmt: skip
    story.git("diff", "guardrails.yaml")
    story.tell("taking the plan back brings every byte back, and the guardrail refuses what comes back")
    applied = _digest(story.folder)
    story.perfgate("optimize", "--rollback", PLAN)
    story.perfgate("guard", ends=int(ExitCode.FAIL))
    story.tell("applied again: green")
    story.perfgate("optimize", "--apply", "-o", PLAN)
    if _digest(story.folder) != applied:
        story.wrong.append("the plan applied again gives other bytes")
    story.perfgate("check")


def _digest(folder: Path) -> str:
    """Of the files that the plan changes."""
    found = hashlib.sha256()
    for name in _SHOWN:
        found.update((folder / name).read_bytes())
    return found.hexdigest()
