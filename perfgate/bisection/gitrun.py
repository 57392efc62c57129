"""Git as a child process that answers for the folder it is asked about, and for nothing else.

Argument lists without a shell, no variable that points git at another repository, no configuration of the
machine or the user, no hook, no prompt, no lock, and a time-out on every call.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GIT_TIMEOUT = 120.0  # seconds for a call that only reads; listing the largest known histories takes under ten
COPY_TIMEOUT = 1800.0  # seconds for a clone, a fetch or a checkout of a large repository
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",  # the mirror's own clone asks for it by a later setting
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
)
_FORCED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_KEPT_LINES = 3  # of what git says on standard error


class GitError(UsageError):
    """Git refused; `what` holds the end of what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Runs git in `folder`; `environment` is a scrubbed one.

    `git_dir` and `index` name a repository and an index apart from the folder: a snapshot of somebody's
    working tree is written with them into our own mirror.
    """

    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    git_dir: Path | None = None
    index: Path | None = None

    def run(
        self, *arguments: str, timeout: float = GIT_TIMEOUT, data: bytes = b"", settings: tuple[str, ...] = ()
    ) -> bytes:
        """What git prints.

        Raises:
            GitError: it fails, does not answer in time, or is not installed.
        """
        code, out, err = self._ended(arguments, timeout, data, settings)
        if code:
            lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
            said = "; ".join(lines[-_KEPT_LINES:]) or f"exit code {code}"
            raise GitError(f"git {arguments[0]} failed, {said}", str(self.folder), _remedy(said))
        return out

    def text(self, *arguments: str) -> str:
        """The printed text without the last line end; bytes that are not UTF-8 survive a round trip."""
        return os.fsdecode(self.run(*arguments)).rstrip("\n")

    def succeeds(self, *arguments: str) -> bool:
        """Whether git ends with 0; a refusal with another code than 1 counts as no as well."""
        return self._ended(arguments, GIT_TIMEOUT, b"", ())[0] == 0

    def _ended(
        self, arguments: tuple[str, ...], timeout: float, data: bytes, settings: tuple[str, ...]
    ) -> tuple[int, bytes, bytes]:
        options = [word for item in (*_SETTINGS, *settings) for word in ("-c", item)]
        if self.git_dir is not None:
            options += [f"--git-dir={self.git_dir}", f"--work-tree={self.folder}"]
        command = ["git", "-C", str(self.folder), *options, *arguments]
        environment = dict(self.environment)
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        try:
            # A session of its own: a Ctrl-C in the terminal is ours to handle, and helpers die with git.
            process = subprocess.Popen(  # noqa: S603 - a fixed program; user text never comes as an option
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise GitError("git is not installed", "PATH", "install git") from None
        try:
            out, err = process.communicate(data, timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            what = f"git {arguments[0]} did not answer within {timeout:.0f} s"
            raise GitError(what, str(self.folder), "look at the disk and the repository") from None
        except BaseException:
            _kill(process)
            raise
        return process.returncode, out, err


def scrubbed(environment: Mapping[str, str], config: Path) -> dict[str, str]:
    """The environment for `Git`: every `GIT_*` variable gone, `config` in place of the user's configuration.

    A GIT_DIR that a hook hands on would make git answer for another repository.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    return {**kept, **_FORCED, "GIT_CONFIG_GLOBAL": str(config)}


def trusted_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The user's own `safe.directory` entries: a decision of theirs that a scrubbed git would not see.

    Nothing is ever added to them here; git's refusal of other people's repositories stays.
    """
    names = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
    kept = {key: value for key, value in environment.items() if not key.startswith("GIT_") or key in names}
    found: list[str] = []
    for scope in ("--system", "--global"):
        try:
            done = subprocess.run(  # noqa: S603 - constants only
                ["git", "config", scope, "--null", "--get-all", "safe.directory"],  # noqa: S607 - the git of the machine
                env=kept,
                capture_output=True,
                timeout=GIT_TIMEOUT,
                check=False,
                cwd="/",
            )
        except (OSError, subprocess.TimeoutExpired):
            return ()
        if done.returncode == 0:
            found += [os.fsdecode(item) for item in done.stdout.split(b"\0") if item]
    return tuple(found)


def _remedy(said: str) -> str:
    if "dubious ownership" in said:
        return "the repository belongs to somebody else: allow it yourself with git's own safe.directory"
    if "No space left" in said:
        return "free disk space, or point PERFGATE_CACHE at another disk"
    return "mend what git says and try again"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git and its helpers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
