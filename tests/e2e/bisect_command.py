"""`perfgate bisect` as a user runs it: in a repository, with a cache folder of the test."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.project import Result
from tests.e2e.warm_start import run_command
from tests.repositories import clean_environment

if TYPE_CHECKING:
    from tests.bisect_world import World

PERFGATE = str(Path(sys.executable).parent / "perfgate")


@dataclass(frozen=True, slots=True)
class Bisection:
    """A world and the cache folder that its runs share."""

    world: World
    cache: Path
    folder: Path | None = None

    def command(self, *arguments: str) -> list[str]:
        """The whole command line, from good to bad unless the arguments say otherwise."""
        ends = [] if "--good" in arguments else ["--good", self.world.good]
        ends += [] if "--bad" in arguments else ["--bad", self.world.bad]
        return [PERFGATE, "bisect", *ends, *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        """Of the user: nothing of the machine's git, and our own cache."""
        return clean_environment(PERFGATE_CACHE=str(self.cache), **more)

    def run(self, *arguments: str, **environment: str) -> Result:
        """Run it to the end."""
        folder = self.folder or self.world.repository.folder
        done = run_command(self.command(*arguments), folder, self.environment(**environment), seconds=300)
        return Result(done.returncode, done.stdout, done.stderr)

    def report(self, *arguments: str, **environment: str) -> dict[str, Any]:
        """Run it and read its JSON: the only benchmark's report."""
        done = self.run(*arguments, "--json", "-", **environment)
        assert done.out, done.text
        (found,) = json.loads(done.out)["results"]
        assert found["exit_code"] == done.code
        return dict(found)

    def left_behind(self) -> list[str]:
        """Worktrees, entries and owners that are still in the cache."""
        mirrors = [path for path in (self.cache / "bisect").glob("*") if path.is_dir()]
        return [
            str(path)
            for mirror in mirrors
            for path in (*(mirror / "trees").glob("*"), *(mirror / "mirror.git" / "worktrees").glob("*"))
        ]


def culprits(report: dict[str, Any]) -> list[str]:
    """The commits that a report names."""
    return [item["culprit"]["suspects"][-1]["commit"] for item in report["findings"]]
