"""When things happened: from git's commits and from the files that perfgate wrote."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from perfgate.baseline.revision import resolve
from perfgate.plan.incident import Event
from perfgate.report.code_span import code_span

if TYPE_CHECKING:
    from pathlib import Path

    from git import Repo

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.workflow.worktree import WorkTree

_FIELDS = "%H%x00%s%x00%cI"


def timeline(
    tree: WorkTree, diagnosis: Diagnosis, diagnosis_file: Path, validation_file: Path | None
) -> tuple[Event, ...]:
    """Baseline, culprit, detection, diagnosis, fix, validation; what nobody recorded has no time.

    The time of a diagnosis or a validation is that of its file.
    """
    cause = diagnosis.causes[0] if diagnosis.causes else None
    culprit = "" if cause is None or cause.commit is None else cause.commit.commit
    place = "" if cause is None or cause.difference is None else cause.difference.place
    repository = tree.repository
    path = place.rsplit(":", 2)[0] if place.count(":") > 1 else ""
    inside = f"{tree.prefix}/{path}" if tree.prefix and path else path
    return (
        _commit_event("baseline", repository, diagnosis.before),
        _commit_event("culprit", repository, culprit),
        Event(name="detection", when=None),
        _file_event("diagnosis", diagnosis_file),
        _fix_event(repository, culprit, inside),
        Event(name="validation", when=None)
        if validation_file is None
        else _file_event("validation", validation_file),
    )


def _commit_event(name: str, repository: Repo | None, revision: str) -> Event:
    commit = None if repository is None else resolve(repository, revision)
    if repository is None or commit is None:
        return Event(name=name, when=None)
    return _event(name, repository.git.log("-1", f"--format={_FIELDS}", commit))


def _event(name: str, row: str) -> Event:
    words = row.strip().split("\x00")
    if len(words) != len(_FIELDS.split("%x00")):
        return Event(name=name, when=None)
    commit, subject, date = words
    when = dt.datetime.fromisoformat(date).astimezone(dt.UTC)
    return Event(name=name, when=when, what=f"{code_span(commit[:7])} {code_span(subject)}")


def _file_event(name: str, path: Path) -> Event:
    when = dt.datetime.fromtimestamp(path.stat().st_mtime, tz=dt.UTC) if path.is_file() else None
    return Event(name=name, when=when, what=f"time of {code_span(path.name)}")


def _fix_event(repository: Repo | None, culprit: str, path: str) -> Event:
    """The last commit after the culprit that touched the blamed file; an edit is not committed yet."""
    known = None if repository is None else resolve(repository, culprit)
    if repository is None or known is None or not path:
        return Event(name="fix", when=None)
    if repository.git.status("--porcelain", "--", path):
        return Event(name="fix", when=None, what=f"{code_span(path)} is changed and not committed")
    return _event("fix", repository.git.log("-1", f"--format={_FIELDS}", f"{known}..HEAD", "--", path))
