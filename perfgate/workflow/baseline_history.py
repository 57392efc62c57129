"""How a baseline became what it is: the commits that touched its file, and what they put there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.baseline.past import PastBaseline
from perfgate.baseline.revision import resolve
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import UnusableError, UsageError

if TYPE_CHECKING:
    from git import Repo

    from perfgate.core.record import Record

MOST_COMMITS = 200  # of one file: a few years of releases, and read in a second or two
_FIELDS = "%H%x00%cI%x00%s%x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineHistory:
    """The accepted records, oldest first, and what could not be read or was cut, in words."""

    points: tuple[PastBaseline, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFile:
    """Where a baseline lies: repository, folder of perfgate's root inside it, folder of the baselines."""

    repository: Repo
    prefix: str
    folder: str
    benchmark: str
    device: str

    @property
    def path(self) -> str:
        """The file relative to perfgate's root."""
        return f"{self.folder}/{baseline_path(self.benchmark, self.device)}"


def baseline_history(file: BaselineFile, revision: str = "HEAD", most: int = MOST_COMMITS) -> BaselineHistory:
    """The baselines that the first-parent history of a revision accepted, the newest `most` of them.

    A merge counts as one change, as the gate sees it. A file that cannot be read is a note, never a gap
    without a word. A benchmark that was renamed begins with its new name.

    Raises:
        UsageError: the revision names no commit.
    """
    head = resolve(file.repository, revision)
    if head is None:
        remedy = "name a commit, tag or branch"
        raise UsageError(f"no commit named {revision!r}", "history", remedy)
    commits = _commits(file, head, most + 1)
    notes = [_cut_text(most)] if len(commits) > most else []
    if str(file.repository.git.rev_parse("--is-shallow-repository")).strip() == "true":
        notes.append("this clone is shallow: older baselines are not in it (git fetch --unshallow)")
    points = []
    for commit, date, subject in reversed(commits[:most]):
        try:
            record = _record_at(file, commit)
        except UnusableError as problem:
            notes.append(str(problem))
            continue
        if record is None:
            notes.append(f"{commit[:7]} removed the baseline")
        else:
            points.append(PastBaseline(commit=commit, date=date, subject=subject, record=record))
    return BaselineHistory(points=tuple(points), notes=tuple(notes))


def _cut_text(most: int) -> str:
    return f"only the newest {most} changes of the baseline are shown"


def _commits(file: BaselineFile, head: str, most: int) -> list[tuple[str, str, str]]:
    """Commit, date and subject of those that touched the file, newest first."""
    path = f"{file.prefix}/{file.path}" if file.prefix else file.path
    # A path may hold signs that git reads as a pattern.
    text = file.repository.git.log(
        "--first-parent",
        f"--max-count={most}",
        f"--format={_FIELDS}",
        head,
        "--",
        f":(top,literal){path}",
    )
    fields = [field.lstrip("\n") for field in str(text).split("\0")]
    return [(fields[at], fields[at + 1], fields[at + 2]) for at in range(0, len(fields) - 2, 3)]


def _record_at(file: BaselineFile, commit: str) -> Record | None:
    """None: the commit has no such file.

    Raises:
        UnusableError: the file cannot be read, or is another benchmark's.
    """
    where = f"{file.path}@{commit[:7]}"
    try:
        data = TrustedTree(file.repository, commit, file.prefix).read(file.path)
    except ValueError:  # what gitpython says of an object that is absent, since nothing is fetched here
        file.repository.git.clear_cache()  # the process that was asked for it has ended
        remedy = "clone without a filter"
        raise UnusableError("the file's content is not in this clone", where, remedy) from None
    if data is None:
        return None
    record = decode_record(data, where)
    if (record.benchmark, record.device) != (file.benchmark, file.device):
        raise UnusableError(f"the file holds {record.key}", where, "it is left out of the history")
    return record
