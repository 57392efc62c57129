"""Which commit is the base: the one whose baselines and policy are trusted (DESIGN decision 3)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.core.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from git import Repo

_SHA_LENGTH = 40


class Base(msgspec.Struct, frozen=True):
    """The base commit as 40 hex digits, and in words how it was found (`merge-base with origin/main`).

    `warning`: why this base may judge nothing; "" where it is another commit than HEAD or the clone is whole.
    """

    commit: str
    reason: str
    warning: str = ""

    @property
    def short(self) -> str:
        """The first seven digits, as people read them."""
        return self.commit[:7]


def open_repository(root: Path) -> Repo:
    """The repository that holds `root`, with hooks, pagers, external diff and lazy fetch switched off.

    Raises:
        UnusableError: git is not installed, or `root` is in no repository, or git refuses it.
    """
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    import git  # noqa: PLC0415 - 120 ms, and only a run that judges needs it

    try:
        repository = git.Repo(root, search_parent_directories=True)
    except (git.exc.InvalidGitRepositoryError, git.exc.NoSuchPathError):
        raise UnusableError(
            "not a git repository", str(root), "run inside the repository, or `git init` and commit"
        ) from None
    repository.git.update_environment(**SAFE_ENVIRONMENT)
    try:
        repository.git.version()
    except git.exc.GitCommandNotFound:
        raise UnusableError(
            "git is not installed", "PATH", "install git; baselines are read from it"
        ) from None
    return repository


SAFE_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "GIT_EXTERNAL_DIFF": "",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.hooksPath",
    "GIT_CONFIG_VALUE_0": os.devnull,
    "GIT_CONFIG_KEY_1": "core.fsmonitor",
    "GIT_CONFIG_VALUE_1": "false",
    "LC_ALL": "C",
}


def find_base(repository: Repo, override: str | None, environment: Mapping[str, str]) -> Base:
    """The base commit by the rules of PYTEST_AND_CI section 5.

    `override` is what the user named; `environment` tells the CI event (`GITHUB_*`).

    Raises:
        UnusableError: the base commit is not in this clone, names nothing, or there is no commit at all.
    """
    head = resolve(repository, "HEAD")
    if head is None:
        raise UnusableError(
            "the repository has no commit", str(repository.working_dir), "commit the baselines first"
        )
    if override is not None:
        commit = resolve(repository, override)
        if commit is None:
            raise _absent(repository, override)
        return Base(commit, override)
    event = environment.get("GITHUB_EVENT_NAME", "")
    if event == "pull_request":
        return _of_pull_request(repository, environment)
    if event == "push":
        return _of_push(repository, environment)
    base = _local(repository, head)
    if base.commit == head and _is_shallow(repository):
        return msgspec.structs.replace(base, warning=_BLIND)
    return base


_BLIND = (
    "the base is HEAD itself, because this clone is shallow: only uncommitted changes are judged; "
    "fetch the history (git fetch --unshallow), or name the commit that judges (--base)"
)


def _is_shallow(repository: Repo) -> bool:
    return str(repository.git.rev_parse("--is-shallow-repository")).strip() == "true"


def resolve(repository: Repo, revision: str) -> str | None:
    """40 hex digits of a revision, or None; a revision that looks like an option is none."""
    import git  # noqa: PLC0415 - see open_repository

    if not revision or any(ord(letter) < 32 for letter in revision):  # noqa: PLR2004 - control characters
        return None
    try:
        found = repository.git.rev_parse("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except git.exc.GitCommandError:
        return None
    commit = str(found).strip()
    return commit if len(commit) == _SHA_LENGTH else None


def _of_pull_request(repository: Repo, environment: Mapping[str, str]) -> Base:
    # The merge ref already holds the base branch: its first parent is the base as merged, while the
    # event's base commit may be older and would blame this change for other people's work.
    parents = _parents_in_object(repository)
    if len(parents) == 2:  # noqa: PLR2004 - a merge of base and head
        commit = resolve(repository, "HEAD^1")
        if commit is None:
            raise _shallow("the base commit HEAD^1")
        return Base(commit, "HEAD^1")
    branch = environment.get("GITHUB_BASE_REF", "")
    return _merge_base(repository, f"origin/{branch}")


def _of_push(repository: Repo, environment: Mapping[str, str]) -> Base:
    before = _event(environment).get("before", "")
    commit = resolve(repository, before) if isinstance(before, str) else None
    if commit is not None and _is_ancestor(repository, commit):
        return Base(commit, "the push event's `before`")
    parent = resolve(repository, "HEAD^1")
    if parent is not None:
        return Base(parent, "HEAD^1; the push event's `before` is not in this clone")
    if _parents_in_object(repository):
        raise _shallow("the base commit HEAD^1")
    head = resolve(repository, "HEAD") or ""
    return Base(head, "HEAD, the first commit")


def _local(repository: Repo, head: str) -> Base:
    for upstream in _default_branches(repository):
        if resolve(repository, upstream) is not None:
            return _merge_base(repository, upstream)
    return Base(head, "HEAD; no default branch of a remote is known, so only uncommitted changes are judged")


def _default_branches(repository: Repo) -> list[str]:
    """Candidates for the upstream default branch, best first; a local `main` serves without a remote."""
    import git  # noqa: PLC0415 - see open_repository

    try:
        pointed = [str(repository.git.symbolic_ref("--quiet", "refs/remotes/origin/HEAD")).strip()]
    except git.exc.GitCommandError:
        pointed = []
    return [
        *pointed,
        "refs/remotes/origin/main",
        "refs/remotes/origin/master",
        "refs/heads/main",
        "refs/heads/master",
    ]


def default_branch(repository: Repo) -> str:
    """The name of the default branch: the remote's, else a local one, else the one that is checked out."""
    import git  # noqa: PLC0415 - see open_repository

    for reference in _default_branches(repository):
        if resolve(repository, reference) is not None:
            return reference.removeprefix("refs/remotes/origin/").removeprefix("refs/heads/")
    try:
        return str(repository.git.symbolic_ref("--quiet", "--short", "HEAD")).strip()
    except git.exc.GitCommandError:
        return "main"


def _merge_base(repository: Repo, upstream: str) -> Base:
    import git  # noqa: PLC0415 - see open_repository

    other = resolve(repository, upstream)
    shown = upstream.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    if other is None:
        raise _shallow(f"the branch {shown}")
    try:
        found = str(repository.git.merge_base("HEAD", other)).split()
    except git.exc.GitCommandError:
        found = []
    if not found:
        raise _shallow(f"the merge base of HEAD and {shown}")
    return Base(found[0], f"merge-base with {shown}")


def _parents_in_object(repository: Repo) -> list[str]:
    """Parents as written in the commit object: a shallow clone hides them from `rev-parse`."""
    text = str(repository.git.cat_file("commit", "HEAD"))
    header = text.split("\n\n", 1)[0]
    return [line.split()[1] for line in header.splitlines() if line.startswith("parent ")]


def _is_ancestor(repository: Repo, commit: str) -> bool:
    import git  # noqa: PLC0415 - see open_repository

    try:
        repository.git.merge_base("--is-ancestor", commit, "HEAD")
    except git.exc.GitCommandError:
        return False
    return True


def _event(environment: Mapping[str, str]) -> dict[str, Any]:
    path = environment.get("GITHUB_EVENT_PATH", "")
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - an empty name must fail as a missing file
            event = json.load(file)
    except (OSError, ValueError):
        return {}
    return event if isinstance(event, dict) else {}


def _absent(repository: Repo, revision: str) -> UnusableError:
    if _is_shallow(repository):
        return _shallow(f"the base commit {revision!r}")
    return UnusableError(
        f"no commit named {revision!r}", "base", "name a commit, tag or branch of this repository"
    )


def _shallow(what: str) -> UnusableError:
    return UnusableError(f"{what} is not in this clone", "base", "set fetch-depth: 2 in actions/checkout")
