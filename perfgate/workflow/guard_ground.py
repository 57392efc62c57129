"""The base that guardrails need: only the trusted files, no suites and no baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.baseline.revision import find_base, open_repository, resolve
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import UnusableError
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfgate.baseline.revision import Base


def guard_ground(
    root: Path, base: str | None, environment: Mapping[str, str]
) -> tuple[WorkTree, TrustedTree | None, Base | None]:
    """The tree, and the base's side of it; outside git, and before the first commit, there is none.

    Raises:
        UnusableError: the base commit that was named, or that CI's event names, is not in this clone.
    """
    try:
        repository = open_repository(root)
    except UnusableError:
        if base is not None:
            raise
        return WorkTree(root, None), None, None
    tree = WorkTree(root, repository)
    if resolve(repository, "HEAD") is None and base is None:
        return tree, None, None
    found = find_base(repository, base, environment)
    return tree, TrustedTree(repository, found.commit, tree.prefix), found
