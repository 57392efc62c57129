"""The accepted records as people look at them: list, one at a commit, head against base, the unused."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.baseline.revision import open_repository, resolve
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import Baselines, decode_record, read_baselines
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import NothingMeasuredError, UnusableError, UsageError
from perfgate.core.machine import TEST
from perfgate.report.baseline_reports import BaselineDiff, metric_changes
from perfgate.workflow.imported_record import is_imported
from perfgate.workflow.suites import find_suites
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from git import Repo

    from perfgate.core.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A baseline in a revision and in the working tree; None where it is not."""

    key: str
    before: Record | None
    now: Record | None


def stored_here(root: Path, folder: str) -> Baselines:
    """The baselines of the working tree; files that cannot be used with their reason."""
    tree = WorkTree(root, open_repository(root))
    paths = [path for path in tree.files if path.startswith(f"{folder}/") and path.endswith(".json")]
    return read_baselines({path: tree.read(path, what="baseline") for path in paths})


def stored_at(root: Path, folder: str, revision: str) -> Baselines:
    """The baselines of a commit, or of the last one on or before a day (`2026-11-29`, UTC).

    Raises:
        UsageError: the revision names no commit, or there was none on that day.
    """
    repository = open_repository(root)
    commit = resolve(repository, revision) or _last_on(repository, revision)
    if commit is None:
        remedy = "name a commit, tag or branch, or a day such as 2026-11-29"
        raise UsageError(f"no commit named {revision!r}", "--at", remedy)
    files, refused = TrustedTree(repository, commit, WorkTree(root, repository).prefix).read_folder(folder)
    found = read_baselines(files)
    return Baselines(found.records, found.unusable | refused)


def _last_on(repository: Repo, text: str) -> str | None:
    """The last commit of HEAD's history on or before a day; None where the text is none, or nothing was."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    found = str(repository.git.rev_list("-1", f"--before={day.isoformat()}T23:59:59Z", "HEAD"))
    return found.strip() or None


def one(stored: Baselines, text: str) -> Record:
    """The only baseline whose key holds the text.

    Raises:
        NothingMeasuredError: none does.
        UsageError: several do.
    """
    if text in stored.records:
        return stored.records[text]
    keys = sorted(key for key in stored.records if text.lower() in key.lower())
    if not keys:
        raise NothingMeasuredError(
            f"no baseline holds {text!r}", "baselines", f"{len(stored.records)} are there"
        )
    if len(keys) > 1:
        raise UsageError(
            f"{len(keys)} baselines hold {text!r}", ", ".join(keys[:4]), "name one of them whole"
        )
    return stored.records[keys[0]]


def differences(before: Baselines, now: Baselines) -> list[Pair]:
    """Every baseline that is not the same in both, by key."""
    keys = sorted(before.records.keys() | now.records.keys())
    pairs = [Pair(key=key, before=before.records.get(key), now=now.records.get(key)) for key in keys]
    return [pair for pair in pairs if pair.before != pair.now]


def diff_report(revision: str, pairs: Iterable[Pair]) -> BaselineDiff:
    """The differences for machines."""
    changed = tuple(pairs)
    return BaselineDiff(
        revision=revision,
        changes=tuple(
            change
            for pair in changed
            if pair.before is not None and pair.now is not None
            for change in metric_changes(pair.before, pair.now)
        ),
        added=tuple(pair.key for pair in changed if pair.before is None),
        removed=tuple(pair.key for pair in changed if pair.now is None),
    )


def without_benchmark(root: Path, folder: str) -> list[str]:
    """Files of baselines that no benchmark of the working tree has, relative to the root.

    Imported ones have their benchmarks in another tool, and are never called unused here.

    Raises:
        UsageError: a suite cannot be read: then nothing may be called unused.
    """
    tree = WorkTree(root, open_repository(root))
    wanted = {
        f"{folder}/{baseline_path(item.name, item.device)}"
        for items in find_suites(tree).values()
        for item in items
    }
    paths = [path for path in tree.files if path.startswith(f"{folder}/") and path.endswith(".json")]
    return [path for path in paths if path not in wanted and _is_ours(tree, path)]


def _is_ours(tree: WorkTree, path: str) -> bool:
    """Only files that perfgate measured are called unused, also damaged or edited ones that still read.

    The baseline of a pytest test is unused when its file is gone; whether the test is, only pytest knows.
    """
    try:
        record = decode_record(tree.read(path, what="baseline"), path, check_digest=False)
    except UnusableError:
        return False
    test = record.context.get(TEST, "")
    return not is_imported(record) and (not test or test.partition("::")[0] not in tree.files)
