"""What an application is about to do, written before it does anything: all that rolling back needs.

It lies with the originals in `.perfgate/backup/<plan id>/` until the rollback is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.codec import decode, readable_json
from perfgate.core.errors import UsageError
from perfgate.plan.disk import check_path
from perfgate.plan.manifest import sha256

if TYPE_CHECKING:
    from perfgate.plan.disk import Disk

SCHEMA = "perfgate/plan-journal/1"
TOP = ".perfgate"
BACKUPS = f"{TOP}/backup"
JOURNAL = "journal.json"
_PRIVATE = 0o600
_REMEDY = "bring the files back with the git commands of rollback_plan.md"


class Saved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file to be replaced: its original lies as `original` in the backup folder, with its mode here."""

    path: str
    original: str
    mode: int
    before_sha256: str
    after_sha256: str


class Journal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The application of one plan; `digest` is that of `files`. `is_complete`: every file was replaced."""

    schema: str = SCHEMA
    plan: str
    files: tuple[Saved, ...]
    digest: str = ""
    is_complete: bool = False


def folder_of(plan: str) -> str:
    """Where the backup of a plan lies."""
    return f"{BACKUPS}/{plan}"


def write_journal(disk: Disk, journal: Journal) -> None:
    """Write it whole or not at all."""
    signed = msgspec.structs.replace(journal, digest=_digest(journal))
    folder = folder_of(journal.plan)
    disk.write(f"{folder}/{JOURNAL}.part", readable_json(signed).encode(), _PRIVATE)
    disk.replace(f"{folder}/{JOURNAL}.part", f"{folder}/{JOURNAL}")


def read_journal(disk: Disk, plan: str) -> Journal | None:
    """The journal of a plan, None when it was never applied or is rolled back.

    Raises:
        UsageError: it is not as it was written.
    """
    where = f"{folder_of(plan)}/{JOURNAL}"
    data = disk.read(where)
    if data is None:
        return None
    journal = decode(data, Journal, where, UsageError, _REMEDY)
    if journal.plan != plan or journal.digest != _digest(journal):
        raise UsageError("the journal is not as perfgate wrote it", where, _REMEDY)
    for item in journal.files:
        check_path(item.path)
    return journal


def original(disk: Disk, journal: Journal, item: Saved) -> bytes:
    """The original bytes of a file.

    Raises:
        UsageError: the backup is missing or not as it was written.
    """
    where = f"{folder_of(journal.plan)}/{item.original}"
    data = disk.read(where)
    if data is None or sha256(data) != item.before_sha256:
        raise UsageError(f"the backup of {item.path} is missing or damaged", where, _REMEDY)
    return data


def _digest(journal: Journal) -> str:
    return sha256((journal.plan + readable_json(journal.files)).encode())
