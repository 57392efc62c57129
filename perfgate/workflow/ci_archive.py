"""A downloaded artefact: read into memory under caps, never unpacked, refused before anything is parsed."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 50 << 20
MAX_FILES = 500
_MAX_DIRECTORY = 1 << 20  # bytes of the list of files; far above that of 500 files
_REMEDY = "upload what `perfgate ci run` wrote, and nothing else"
_WHERE = "artefact"
_END = struct.Struct("<4s4H2LH")  # end of central directory: APPNOTE 4.3.16
_END_MARK = b"PK\x05\x06"
_ZIP64_MARK = b"PK\x06\x07"  # its locator would stand in the 20 bytes before and overrule the record
_ZIP64_SIZE = 20


def read_archive(data: bytes, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> dict[str, bytes]:
    """All files of a zip archive by name.

    Raises:
        UnusableError: too many files or bytes, a name that leaves the folder, a link, an encrypted or broken
            entry.
    """
    _check_directory(data, max_files)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
            _check_entries(entries, max_files, max_bytes)
            return {entry.filename: archive.read(entry) for entry in entries}
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ) as problem:
        raise _refused(f"no sound zip archive, {problem}") from None


def _check_directory(data: bytes, max_files: int) -> None:
    """Look at the end record alone: a list of a million entries must not even be read."""
    if len(data) < _END.size:
        raise _refused("no zip archive")
    mark, _, _, _, count, size, _, comment = _END.unpack(data[-_END.size :])
    if mark != _END_MARK or comment or data[-_END.size - _ZIP64_SIZE :].startswith(_ZIP64_MARK):
        raise _refused("no plain zip archive")
    if count > 2 * max_files or size > _MAX_DIRECTORY:  # folders may have entries of their own
        raise _refused(f"{count} entries, want at most {max_files} files")


def _check_entries(entries: list[zipfile.ZipInfo], max_files: int, max_bytes: int) -> None:
    if len(entries) > max_files:
        raise _refused(f"{len(entries)} files, want at most {max_files}")
    if sum(entry.file_size for entry in entries) > max_bytes:
        raise _refused(f"more than {max_bytes >> 20} MiB unpacked")
    names = set()
    for entry in entries:
        for problem in _problems(entry):
            raise _refused(f"{entry.filename!r} {problem}")
        if entry.filename in names:
            raise _refused(f"{entry.filename!r} stands there twice")
        names.add(entry.filename)


def _problems(entry: zipfile.ZipInfo) -> Iterator[str]:
    name = entry.filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        yield "leaves the folder"
    if not name or not name.isprintable():
        yield "is no plain name"
    if kind not in {0, stat.S_IFREG}:
        yield "is a link or a device"
    if entry.flag_bits & 1:
        yield "is encrypted"
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        yield "is packed by a method that GitHub does not use"


def _refused(what: str) -> UnusableError:
    return UnusableError(what, _WHERE, _REMEDY)
