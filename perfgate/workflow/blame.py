"""The commit behind a cause: named by a bisection, or the only one that touched the blamed line."""

from __future__ import annotations

from dataclasses import dataclass
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
_SHORT = 7
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The commits in question: those after `base` up to `tip`, which holds the lines that a cause names.

    `tip` None: the working tree, whose own edits are no commit yet.
    """

    tree: WorkTree
    base: str
    tip: str | None = None


class _Bisections(msgspec.Struct, frozen=True):
    """The document; of its other members a diagnosis takes none."""

    results: tuple[_Bisection, ...]


def with_commits(
    diagnoses: Sequence[Diagnosis], span: Span | None, bisection: Path | None
) -> list[Diagnosis]:
    """Diagnoses whose first cause knows its commit; without a bisection the one that touched its line.

    Raises:
        UsageError: there is no such bisection file.
        UnusableError: it is not what `perfgate bisect --json` writes.
    """
    culprits = {} if bisection is None else _culprits(bisection)
    return [_with_commit(item, culprits.get(item.key), span) for item in diagnoses]


def _with_commit(found: Diagnosis, culprit: Commit | None, span: Span | None) -> Diagnosis:
    if not found.causes:
        if culprit is None:
            return found
        note = f"a bisection names {culprit.commit[:_SHORT]}, probability {culprit.probability:.3f}"
        return msgspec.structs.replace(found, notes=(*found.notes, note))
    first, *rest = found.causes
    commit = culprit
    if commit is None and span is not None:
        commit = _touching(first, span)
    if commit is None:
        return found
    return msgspec.structs.replace(found, causes=(msgspec.structs.replace(first, commit=commit), *rest))


def _culprits(path: Path) -> dict[str, Commit]:
    if not path.is_file():
        raise UsageError("no such file", str(path), _REMEDY)
    found = {}
    document = decode(path.read_bytes(), _Bisections, str(path), UnusableError, _REMEDY)
    for report in document.results:
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


def _touching(cause: Cause, span: Span) -> Commit | None:
    """The single commit of the span that touched the line; None for none, several, or an edit."""
    difference, repository, prefix = cause.difference, span.tree.repository, span.tree.prefix
    if difference is None or repository is None or not difference.place:
        return None
    path, line = _place(difference.place)
    inside = f"{prefix}/{path}" if prefix else path
    if not path or (span.tip is None and _is_edited(repository, inside)):
        return None
    commits = f"{span.base}..{span.tip or 'HEAD'}"
    if difference.place_after and line:
        return _only(repository, "-s", f"-L{line},{line}:{inside}", commits)
    return _only(repository, commits, "--", inside)


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
        text = repository.git.log("-z", "--no-show-signature", f"--format={_FIELDS}", *selection)
    except GitCommandError:
        return None  # a line that HEAD does not have, for example in a shallow clone
    words = text.removesuffix("\x00").split("\x00")
    if len(words) != len(_FIELDS.split("%x00")):
        return None  # none, or several
    commit, subject, author, date = (word.strip() for word in words)
    return Commit(commit=commit, subject=subject, author=author, date=date, relation=TOUCHED)
