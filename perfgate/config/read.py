"""One file to its facts: which reader takes it, and what is true of every text file."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from perfgate.config.facts import FileFacts, Note
from perfgate.config.found import Found
from perfgate.config.prefilter import has_watched_name
from perfgate.config.programs import WATCH, Watch
from perfgate.config.readers import Reader, reader_of
from perfgate.config.spans import Source

if TYPE_CHECKING:
    from perfgate.config.facts import Span

MAX_FILE_SIZE = 1_048_576  # 1 MiB, GUARDRAILS section 9
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
_MIDDLE = re.compile(r"^={7}$", re.MULTILINE)
_BYTE_ORDER_MARK = "\ufeff"


def read(path: str, data: bytes, *, watch: Watch = WATCH, size_limit: int = MAX_FILE_SIZE) -> FileFacts:
    """The facts of one file; `path` is relative to the repository's root, with slashes.

    `watch` names the programs and variables that are reported.
    Never raises for what the file holds: a file that cannot be read to its end is `incomplete` and has a note
    that says why.
    """
    digest = sha256(data).hexdigest()
    reader = reader_of(path, _first_line(data))
    if reader is None or not has_watched_name(path, data, watch):
        return FileFacts(path=path, digest=digest)
    if len(data) > size_limit:
        found = _unread(path, "size-limit", f"is larger than {size_limit} bytes; nothing of it was read")
    elif b"\0" in data:
        found = _unread(path, "not-text", "holds zero bytes; nothing of it was read")
    else:
        found = _found(path, data, reader, watch)
    return FileFacts(
        path=path,
        commands=found.commands,
        env=found.env,
        keys=found.keys,
        notes=tuple(sorted(found.notes, key=lambda note: (note.span.line, note.span.column, note.code))),
        incomplete=found.incomplete,
        digest=digest,
    )


def _first_line(data: bytes) -> str:
    return data[:256].split(b"\n", 1)[0].removeprefix(b"\xef\xbb\xbf").decode("latin-1").rstrip()


def _found(path: str, data: bytes, reader: Reader, watch: Watch) -> Found:
    source, notes = _decoded(path, data, watch)
    source, conflict = _before_conflict(source)
    notes += conflict
    try:
        found = reader.load()(source)
    except RecursionError:
        found = _unread(path, "nesting-limit", "is nested too deep; nothing of it was read")
    except MemoryError:
        found = _unread(path, "size-limit", "needs too much memory; nothing of it was read")
    return Found(
        commands=found.commands,
        env=found.env,
        keys=found.keys,
        notes=(*(note for note in found.notes if not (conflict and note.code == "syntax-error")), *notes),
        incomplete=found.incomplete or bool(conflict),
    )


def _unread(path: str, code: str, text: str) -> Found:
    span = Source(path=path, text="").span(0, 0)
    return Found(notes=(Note(code=code, span=span, text=f"the file {text}"),), incomplete=True)


def _decoded(path: str, data: bytes, watch: Watch) -> tuple[Source, tuple[Note, ...]]:
    notes: tuple[Note, ...] = ()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("latin-1")
        line = data.count(b"\n", 0, error.start) + 1
        span = _line_span(path, line)
        notes = (Note(code="encoding", span=span, text="not UTF-8; read as Latin-1"),)
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if "\r\n" not in text:
        return Source(path=path, text=text, watch=watch), notes
    lines = text.split("\n")
    carriage = frozenset(number for number, line in enumerate(lines[:-1], start=1) if line.endswith("\r"))
    joined = text.replace("\r\n", "\n")
    return Source(path=path, text=joined, carriage_lines=carriage, watch=watch), notes


def _line_span(path: str, line: int) -> Span:
    source = Source(path=path, text="\n" * line)
    return source.span(line - 1, line - 1)


def _before_conflict(source: Source) -> tuple[Source, tuple[Note, ...]]:
    """The text before the first conflict marker; nothing from there on can be relied on."""
    marker = _CONFLICT.search(source.text)
    if marker is None:
        return source, ()
    middle = _MIDDLE.search(source.text)
    start = min(marker.start(), middle.start()) if middle else marker.start()
    span = source.span(start, start + 7)
    note = Note(code="conflict-markers", span=span, text="a merge conflict; nothing is read from here on")
    return replace(source, text=source.text[:start]), (note,)
