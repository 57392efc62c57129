"""What was measured before, by everything it depends on: a tree is never built twice for the same samples."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import msgspec

from perfgate.bisection.probe import Launch, Outcome  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.record import Record  # noqa: TC001 - the same

_FORMAT = 1  # of the stored file


class CacheKey(msgspec.Struct, frozen=True, kw_only=True):
    """All that a measurement depends on. `tree` is git's; `machine` "" where the machine does not matter."""

    tree: str
    benchmark: str
    metric: str
    overlay: str
    setup: str
    contents: str
    python: str
    machine: str
    perfgate: str
    schema: str

    @property
    def digest(self) -> str:
        """In hex, as the file's name."""
        return hashlib.sha256(msgspec.json.encode((_FORMAT, self))).hexdigest()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """The launches of one tree in the order they were taken; `draws` counts the seeds that were used.

    `record` is the last one without its runs: settings with their places, exact metrics, profile summary.
    """

    outcome: Outcome
    launches: tuple[Launch, ...] = ()
    draws: int = 0
    record: Record | None = None
    detail: str = ""
    build_seconds: float = 0.0


class ProbeCache:
    """A folder of entries. A file that cannot be read counts as absent: it is only a cache."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: CacheKey) -> Entry | None:
        """The stored entry, None when there is none or it is damaged."""
        try:
            content = self._path(key).read_bytes()
            os.utime(self._path(key))  # `cache prune` goes by the last use
        except OSError:
            return None
        digest, _, payload = content.partition(b"\n")
        if hashlib.sha256(payload).hexdigest().encode() != digest:
            return None
        try:
            return msgspec.json.decode(payload, type=Entry)
        except msgspec.MsgspecError:
            return None

    def put(self, key: CacheKey, entry: Entry) -> None:
        """Store an entry; the file appears whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        payload = msgspec.json.encode(entry)
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".unfinished-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
            Path(name).replace(self._path(key))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _path(self, key: CacheKey) -> Path:
        return self._folder / f"{key.digest}.json"
