"""The commit behind a cause: named by a bisection, or the only one that touched the blamed line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.codec import decode
from perfgate.core.diagnosis import Cause, Commit, Diagnosis
from perfgate.core.errors import UnusableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from git import Repo

    from perfgate.workflow.worktree import WorkTree

BISECTION = "bisection"
TOUCHED = "touched by"
_FIELDS = "%H%x00%s%x00%an%x00%aI"
_REMEDY = "write it with `perfgate bisect --json FILE`"


class _Suspect(msgspec.Struct, frozen=True):
    commit: str
    subject: str = ""
    author: str = ""
    date: str = ""


class _Culprit(msgspec.Struct, frozen=True):
    suspects: tuple[_Suspect, ...]
    chance: float


class _Finding(msgspec.Struct, frozen=True):
    culprit: _Culprit


class _Bisection(msgspec.Struct, frozen=True):
    """The part of a bisection's report that a diagnosis takes."""

    benchmark: str
    findings: tuple[_Finding, ...] = ()


def with_commits(
    diagnoses: Sequence[Diagnosis], tree: WorkTree, base: str, bisection: Path | None
) -> list[Diagnosis]:
    """Each diagnosis with the commit of its first cause, where one can be named.

    Raises:
        UsageError: there is no such bisection file.
        UnusableError: it is not what `perfgate bisect --json` writes.
    """
    culprits = {} if bisection is None else _culprits(bisection)
    return [_with_commit(item, culprits.get(item.key), tree, base) for item in diagnoses]


def _with_commit(found: Diagnosis, culprit: Commit | None, tree: WorkTree, base: str) -> Diagnosis:
    if not found.causes:
        return found
    first, *rest = found.causes
    commit = culprit or _touching(first, tree, base)
    if commit is None:
        return found
    return msgspec.structs.replace(found, causes=(msgspec.structs.replace(first, commit=commit), *rest))


def _culprits(path: Path) -> dict[str, Commit]:
    if not path.is_file():
        raise UsageError("no such file", str(path), _REMEDY)
    found = {}
    for report in decode(path.read_bytes(), list[_Bisection], str(path), UnusableError, _REMEDY):
        for finding in report.findings[:1]:
            suspect, chance = finding.culprit.suspects[-1], finding.culprit.chance
            if len(finding.culprit.suspects) == 1:
                found[report.benchmark] = Commit(
                    commit=suspect.commit,
                    subject=suspect.subject,
                    author=suspect.author,
                    date=suspect.date,
                    relation=BISECTION,
                    probability=chance,
                )
    return found


def _touching(cause: Cause, tree: WorkTree, base: str) -> Commit | None:
    """The single commit between base and HEAD that touched the line; None for none, several, or an edit."""
    difference, repository = cause.difference, tree.repository
    if difference is None or repository is None or not difference.place:
        return None
    path, line = _place(difference.place)
    inside = f"{tree.prefix}/{path}" if tree.prefix else path
    if not path or _is_edited(repository, inside):
        return None
    if difference.place_after and line:
        return _only(repository, "-s", f"-L{line},{line}:{inside}", f"{base}..HEAD")
    return _only(repository, f"{base}..HEAD", "--", inside)


def _place(place: str) -> tuple[str, int]:
    """Path and line of `path:line:column`."""
    path, _, column = place.rpartition(":")
    path, _, line = path.rpartition(":")
    return (path, int(line)) if line.isdecimal() and column.isdecimal() else ("", 0)


def _is_edited(repository: Repo, path: str) -> bool:
    """The file differs from HEAD: the change is no commit yet."""
    return bool(repository.git.status("--porcelain", "--", path))


def _only(repository: Repo, *selection: str) -> Commit | None:
    from git.exc import GitCommandError  # noqa: PLC0415 - git is loaded by whoever opened the repository

    try:
        text = repository.git.log("-z", f"--format={_FIELDS}", *selection)
    except GitCommandError:
        return None  # a line that HEAD does not have, for example in a shallow clone
    words = [word for word in text.split("\x00") if word]
    if len(words) != len(_FIELDS.split("%x00")):
        return None
    commit, subject, author, date = (word.strip() for word in words)
    return Commit(commit=commit, subject=subject, author=author, date=date, relation=TOUCHED)
