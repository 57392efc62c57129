"""The journal: every outcome of a search as one JSON line, so that resuming is feeding the lines again.

A line is on the disk before the search sees the outcome. The only line that can be torn is the last one.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.probe import Probe, ProbeOutcome  # noqa: TC001 - msgspec reads the annotations
from perfgate.core.codec import decode
from perfgate.core.errors import UnusableError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "perfgate/bisection-journal/1"
_REMEDY = "run without --resume; what was measured is still in the cache"


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line. `meaning` holds every argument that changes what is searched, as text.

    `built` are the commits that needed no build when the search began: part of its input.
    """

    schema: str = SCHEMA
    id: str
    meaning: dict[str, str]
    built: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was asked and what came of it."""

    wanted: Probe
    outcome: ProbeOutcome


class Journal:
    """One journal file, open for appending."""

    def __init__(self, path: Path, header: Header, lines: tuple[Line, ...], *, was_torn: bool) -> None:
        self.path = path
        self.header = header
        self.lines = lines
        self.was_torn = was_torn
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def append(self, line: Line) -> None:
        """Add a line and wait until the disk has it; on failure the file is as it was before.

        Raises:
            UsageError: it cannot be written.
        """
        _append(self._handle, msgspec.json.encode(line) + b"\n", str(self.path))

    def close(self) -> None:
        """No more lines."""
        os.close(self._handle)


def start_journal(path: Path, header: Header) -> Journal:
    """Begin a new one in place of any that is there.

    Raises:
        UsageError: it cannot be written.
    """
    unfinished = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            _append(handle, msgspec.json.encode(header) + b"\n", str(path))
        finally:
            os.close(handle)
        unfinished.rename(path)
    except OSError as problem:
        raise _unwritable(problem, str(path)) from None
    return Journal(path, header, (), was_torn=False)


def resume_journal(path: Path, header: Header) -> Journal:
    """Open the journal of an interrupted search and read what it paid for.

    Raises:
        UsageError: there is none, or its arguments mean another search.
        UnusableError: it is damaged before its last line, or of another version.
    """
    if not path.is_file():
        remedy = "run it without --resume first"
        raise UsageError("nothing to resume for this range and benchmark", str(path), remedy)
    data = path.read_bytes()
    whole, _, torn = data.rpartition(b"\n")
    rows = whole.split(b"\n") if whole else []
    if not rows:
        raise UnusableError("the journal has no whole line", str(path), _REMEDY)
    old = decode(rows[0], Header, f"{path}:1", UnusableError, _REMEDY)
    if old.schema != SCHEMA:
        raise UnusableError(f"unknown schema {old.schema!r}", str(path), _REMEDY)
    _same_meaning(old, header, path)
    lines = tuple(
        decode(row, Line, f"{path}:{number}", UnusableError, _REMEDY)
        for number, row in enumerate(rows[1:], 2)
    )
    if torn:
        os.truncate(path, len(whole) + 1)
    return Journal(path, old, lines, was_torn=bool(torn))


def _same_meaning(old: Header, new: Header, path: Path) -> None:
    names = sorted(old.meaning.keys() | new.meaning.keys())
    different = [name for name in names if old.meaning.get(name) != new.meaning.get(name)]
    if not different:
        return
    changes = ", ".join(
        f"{name} was {json.dumps(old.meaning.get(name, ''))}, is {json.dumps(new.meaning.get(name, ''))}"
        for name in different
    )
    remedy = "give the arguments of the interrupted run, or start anew without --resume"
    raise UsageError(f"the journal belongs to other arguments: {changes}", str(path), remedy)


def _append(handle: int, data: bytes, where: str) -> None:
    before = os.fstat(handle).st_size
    try:
        left = data
        while left:  # a full disk takes a part first and refuses the rest
            left = left[os.write(handle, left) :]
        os.fsync(handle)
    except BaseException as problem:
        os.ftruncate(handle, before)
        if isinstance(problem, OSError):
            raise _unwritable(problem, where) from None
        raise


def _unwritable(problem: OSError, where: str) -> UsageError:
    reason = (problem.strerror or type(problem).__name__).lower()
    remedy = "free disk space and run it again with --resume"
    return UsageError(f"the journal cannot be written, {reason}", where, remedy)
