"""Small git repositories made by a test; git's own configuration of the machine stays out of them."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without anything that tells git or CI about the outside."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "GITHUB_", "PYTEST_", "COV_")) and name != "CI"
    }
    return kept | ENVIRONMENT | more


class Repository:
    """A git repository in a folder; `git` runs a command in it and returns what it prints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603 - fixed program, arguments of the test
            ["git", *arguments],  # noqa: S607 - the git of the machine
            cwd=self.folder,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr}")
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files, making folders as needed."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write, stage everything and commit; the commit's 40 hex digits."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def clone(self, folder: Path, *options: str) -> Repository:
        """A clone of this repository by file URL, so that `--depth` works."""
        done = subprocess.run(  # noqa: S603 - fixed program, arguments of the test
            ["git", "clone", "-q", *options, f"file://{self.folder}", str(folder)],  # noqa: S607 - the machine's git
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        clone = object.__new__(Repository)
        clone.folder = folder
        return clone
