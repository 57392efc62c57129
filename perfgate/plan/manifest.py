"""The manifest of a plan: every byte it wants to change, and what it promises; its id is its own digest."""

from __future__ import annotations

import hashlib
import json

import msgspec

from perfgate.core.codec import plain
from perfgate.core.errors import UsageError
from perfgate.plan.prediction import Prediction  # noqa: TC001 - msgspec reads the annotations at run time

SCHEMA = "perfgate/plan/1"
ID_LENGTH = 16  # hex digits: as many as tell one repository's plans apart


class TextEdit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`old` at byte `offset` becomes `new`; the edits of a file are made in order, each in the last result.

    Bytes that are no UTF-8 stand as lone surrogates. `line` is that of the original file. `name` is the flag
    or key with its value `before` and `after`, None where it is absent; `fix` is the number of the fix.
    """

    line: int
    offset: int
    old: str
    new: str
    kind: str
    name: str
    before: str | None
    after: str | None
    fix: int


class FilePlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to one file, `path` below the repository's root."""

    path: str
    before_sha256: str
    after_sha256: str
    edits: tuple[TextEdit, ...]


class PlannedFix(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fix of the plan; `after` is the simulated amount with it alone, `gain` its share of now."""

    number: int
    title: str
    severity: str
    risk: str
    after: int | None
    gain: float | None


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fix that is not in the plan, and why."""

    number: int
    title: str
    reason: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole plan. `commit` is the checked-out commit, "" where its files differ from the tree's.

    `metric` is what the gain is of, in `unit`. `folder` is where the plan was written, `documents` are the
    digests of its other files.
    """

    schema: str = SCHEMA
    id: str = ""
    benchmark: str
    device: str
    metric: str
    unit: str
    prediction: Prediction
    commit: str
    folder: str
    diagnosis_sha256: str
    files: tuple[FilePlan, ...]
    fixes: tuple[PlannedFix, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
    documents: dict[str, str] = {}

    @property
    def key(self) -> str:
        """`benchmark[device]`, as reports name it."""
        return f"{self.benchmark}[{self.device}]"


def sha256(data: bytes) -> str:
    """Hex digest."""
    return hashlib.sha256(data).hexdigest()


def with_id(manifest: Manifest) -> Manifest:
    """The manifest with the id that its content has."""
    content = plain(msgspec.structs.replace(manifest, id="", documents={}))
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return msgspec.structs.replace(manifest, id=sha256(text.encode())[:ID_LENGTH])


def edited(data: bytes, plan: FilePlan) -> bytes:
    """The file with the edits made.

    Raises:
        UsageError: the file is not the one that was planned for, or the edits do not give what was promised.
    """
    if sha256(data) != plan.before_sha256:
        raise moved(plan.path)
    for edit in plan.edits:
        old, new = to_bytes(edit.old), to_bytes(edit.new)
        if edit.offset < 0 or data[edit.offset : edit.offset + len(old)] != old:
            raise tampered(plan.path)
        data = data[: edit.offset] + new + data[edit.offset + len(old) :]
    if sha256(data) != plan.after_sha256:
        raise tampered(plan.path)
    return data


def moved(path: str) -> UsageError:
    """The file is another one than the plan was made for."""
    remedy = "nothing was changed; write the plan again from a new diagnosis"
    return UsageError("the file has changed since the plan was made", path, remedy)


def tampered(where: str) -> UsageError:
    """The plan is not as it was written."""
    remedy = "nothing was changed; write the plan again with `perfgate optimize`"
    return UsageError("the plan is not as perfgate wrote it", where, remedy)


def to_bytes(text: str) -> bytes:
    """Bytes of a file as the manifest carries them."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """The reverse of `to_bytes`."""
    return data.decode("utf-8", "surrogateescape")
