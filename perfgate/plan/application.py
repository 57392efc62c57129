"""Applying a plan and rolling it back: all files or none, also when the process is killed in between.

Order: journal, originals, then each file by replace. At any moment a file is either as before or as planned,
and the journal says where its original lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UsageError
from perfgate.plan.journal import (
    BACKUPS,
    JOURNAL,
    TOP,
    Journal,
    Saved,
    folder_of,
    original,
    read_journal,
    write_journal,
)
from perfgate.plan.manifest import edited, moved, sha256

if TYPE_CHECKING:
    from perfgate.plan.disk import Disk
    from perfgate.plan.manifest import Manifest

_PRIVATE = 0o600
_NEW = "new"  # a file on its way to its place
_IGNORE = ".gitignore"  # the folder takes itself out of git, whatever the repository ignores


def apply_plan(disk: Disk, manifest: Manifest) -> tuple[str, ...]:
    """Make the plan's changes; the paths of the changed files.

    Raises:
        UsageError: a file is not the one that was planned for, the plan is applied already, or a file cannot
            be written. Nothing is changed then.
    """
    journal = read_journal(disk, manifest.id)
    if journal is not None:
        state = "applied already" if journal.is_complete else "half applied, by a run that was interrupted"
        raise UsageError(f"the plan is {state}", folder_of(manifest.id), "roll it back first with --rollback")
    contents = {item.path: edited(_present(disk, item.path), item) for item in manifest.files}
    journal = Journal(
        plan=manifest.id,
        files=tuple(
            Saved(
                path=item.path,
                original=f"original-{number}",
                mode=disk.mode(item.path),
                before_sha256=item.before_sha256,
                after_sha256=item.after_sha256,
            )
            for number, item in enumerate(manifest.files)
        ),
    )
    if not journal.files:
        return ()
    try:
        _replace_all(disk, journal, contents)
    except OSError as problem:
        _undo(disk, journal)
        reason = (problem.strerror or type(problem).__name__).lower()
        where = str(problem.filename or folder_of(manifest.id))
        raise UsageError(
            f"cannot be written, {reason}", where, "nothing was changed; make it writable"
        ) from None
    except BaseException:  # an interruption, or a file that moved meanwhile: nothing stays half done
        _undo(disk, journal)
        raise
    return tuple(contents)


def _undo(disk: Disk, journal: Journal) -> None:
    """Bring back what this run has replaced; a file that somebody else has changed meanwhile is theirs."""
    for item in journal.files:
        data = disk.read(item.path)
        if data is not None and sha256(data) == item.after_sha256:
            _put(disk, journal, item, original(disk, journal, item))
    _clear(disk, journal.plan, journal.files)


def _put(disk: Disk, journal: Journal, item: Saved, data: bytes) -> None:
    new = f"{folder_of(journal.plan)}/{_NEW}"
    disk.write(new, data, item.mode)
    disk.replace(new, item.path)


def _present(disk: Disk, path: str) -> bytes:
    data = disk.read(path)
    if data is None:
        raise moved(path)
    return data


def _replace_all(disk: Disk, journal: Journal, contents: dict[str, bytes]) -> None:
    folder = folder_of(journal.plan)
    disk.write(f"{folder}/{_IGNORE}", b"*\n", _PRIVATE)
    write_journal(disk, journal)
    for item in journal.files:
        disk.write(f"{folder}/{item.original}", _present(disk, item.path), _PRIVATE)
    for item in journal.files:
        original(disk, journal, item)
        if sha256(_present(disk, item.path)) != item.before_sha256:
            raise moved(item.path)
        _put(disk, journal, item, contents[item.path])
    write_journal(disk, msgspec.structs.replace(journal, is_complete=True))


def roll_back(disk: Disk, plan: str) -> tuple[str, ...]:
    """Bring every file of an applied, or half applied, plan back; the paths of those that were brought back.

    Raises:
        UsageError: the plan is not applied, a file has been changed since, or a backup is damaged. Nothing is
            changed then.
    """
    journal = read_journal(disk, plan)
    if journal is None:
        _clear(disk, plan, ())
        return ()
    changed = []
    for item in journal.files:
        data = disk.read(item.path)
        digest = None if data is None else sha256(data)
        if digest == item.before_sha256 and disk.mode(item.path) == item.mode:
            continue
        if digest not in {item.before_sha256, item.after_sha256, None}:
            remedy = "nothing was brought back; undo your own change first, or use git"
            raise UsageError("the file has been changed since the plan was applied", item.path, remedy)
        changed.append((item, original(disk, journal, item)))
    for item, data in changed:
        _put(disk, journal, item, data)
    _clear(disk, plan, journal.files)
    return tuple(item.path for item, _ in changed)


def _clear(disk: Disk, plan: str, files: tuple[Saved, ...]) -> None:
    """Remove the backup, its journal last: until then the rollback can be taken up again."""
    folder = folder_of(plan)
    names = [_NEW, f"{JOURNAL}.part", *(item.original for item in files), _IGNORE, JOURNAL]
    for path in (*(f"{folder}/{name}" for name in names), folder, BACKUPS, TOP):
        disk.remove(path)  # folders only when they are empty: other plans keep theirs
