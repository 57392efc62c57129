"""The contents of files that Git LFS keeps apart, fetched into a checkout of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.bisection.gitrun import COPY_TIMEOUT, Git
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.bisection.mirror import Mirror


class LargeFiles:
    """Fills checkouts by `git lfs pull` from the user's origin; what it fetches is kept beside the mirror."""

    def __init__(self, mirror: Mirror, origin: str) -> None:
        self._mirror = mirror
        self._settings = (
            f"remote.origin.url={origin}",
            f"lfs.storage={mirror.folder / 'lfs'}",
            "filter.lfs.process=",  # files are written by the pull alone, nothing runs at a checkout
        )

    def fill(self, tree: Path, commit: str) -> None:
        """Replace the pointers of a commit that was just checked out into `tree`.

        Raises:
            GitError: the server does not give them.
        """
        entry = self._mirror.repository / "worktrees" / tree.name
        environment = {**self._mirror.git.environment, "GIT_LFS_SKIP_SMUDGE": "0"}
        git = Git(folder=tree, environment=environment, git_dir=entry)
        git.run("lfs", "pull", "origin", timeout=COPY_TIMEOUT, settings=self._settings)
        del commit


def require_lfs(git: Git) -> None:
    """Refuse to begin without the program.

    Raises:
        UsageError: it is not installed.
    """
    if not git.succeeds("lfs", "version"):
        raise UsageError("git-lfs is not installed", "--lfs", "install it, or leave the option out")
