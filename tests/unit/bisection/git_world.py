"""A small repository with its source and mirror, for tests of the git side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.mirror import Mirror, Source, bring, open_mirror, open_source
from tests.repositories import Repository, clean_environment

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class GitWorld:
    """A user's repository and our mirror of it."""

    repository: Repository
    source: Source
    mirror: Mirror
    cache: Path


def git_world(folder: Path, *, commits: int = 3) -> GitWorld:
    """A repository of some commits that change one file, mirrored."""
    repository = Repository(folder / "user")
    for number in range(commits):
        repository.commit(f"change {number}", {"a.txt": f"{number}\n", "b.txt": "same\n"})
    cache = folder / "cache"
    source = open_source(repository.folder, cache, clean_environment())
    mirror = open_mirror(source, cache)
    bring(mirror, source, [repository.git("rev-parse", "HEAD")])
    return GitWorld(repository, source, mirror, cache)
