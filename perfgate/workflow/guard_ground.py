"""The base that guardrails need: only the trusted files, no suites and no baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.baseline.revision import find_base, open_repository, resolve
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import UnusableError
from perfgate.guardrails.check import is_selected
from perfgate.guardrails.tree import facts_of_tree
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from perfgate.baseline.revision import Base
    from perfgate.config.facts import FileFacts
    from perfgate.guardrails.rule import RuleSet


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


def facts_of_history(
    tree: WorkTree, rules: RuleSet, count: int
) -> Iterator[tuple[str, tuple[FileFacts, ...]]]:
    """The facts of each of the last `count` commits, newest first, with the commit and its subject.

    Files that may not be read from a commit (links, more than 1 MiB) are left out.
    """
    if tree.repository is None:
        raise UnusableError("not a git repository", str(tree.root), "run inside the repository")
    for commit in tree.repository.iter_commits("HEAD", max_count=count):
        subject = str(commit.summary)
        yield f"{commit.hexsha[:7]} {subject}", facts_of_commit(tree, rules, commit.hexsha)


def facts_of_commit(tree: WorkTree, rules: RuleSet, commit: str) -> tuple[FileFacts, ...]:
    """The facts of the files of one commit; those that may not be read from it are left out.

    Raises:
        UnusableError: there is no repository.
    """
    if tree.repository is None:
        raise UnusableError("not a git repository", str(tree.root), "run inside the repository")
    trusted = TrustedTree(tree.repository, commit, tree.prefix)
    files = {}
    for path in trusted.paths:
        if not is_selected(rules.settings, path):
            continue
        data = trusted.read_regular(path, rules.settings.max_file_size)
        if data is not None:
            files[path] = data
    return facts_of_tree(files, rules)
