"""Everything that a command could change in somebody's repository, as a value to compare."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from tests.repositories import clean_environment

_QUESTIONS = (
    ("rev-parse", "HEAD"),
    ("for-each-ref",),
    ("stash", "list"),
    ("worktree", "list", "--porcelain"),
    ("config", "--local", "--list"),
)


def state_of(folder: Path) -> dict[str, str]:
    """Kind, mode and content of every file below a folder, `.git` included, and git's view of it."""
    found = {str(path): _file_state(path) for path in sorted(folder.rglob("*"))}
    for question in _QUESTIONS:
        done = subprocess.run(  # noqa: S603 - a fixed program, fixed questions
            ["git", *question],  # noqa: S607 - the git of the machine
            cwd=folder,
            env=clean_environment(GIT_OPTIONAL_LOCKS="0"),
            capture_output=True,
            check=False,
        )
        found[f"git {' '.join(question)}"] = done.stdout.decode("utf-8", "replace")
    return found


def _file_state(path: Path) -> str:
    mode = path.lstat().st_mode
    if path.is_symlink():
        return f"{mode:o} -> {path.readlink()}"
    if path.is_dir():
        return f"{mode:o} folder"
    return f"{mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def running(mark: str) -> list[str]:
    """Command lines of processes whose environment holds a text, without zombies."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            environment = (process / "environ").read_bytes()
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if mark.encode() in environment and command:
            found.append(command.replace(b"\0", b" ").decode("utf-8", "replace"))
    return found
