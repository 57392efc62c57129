"""Record files: one record per benchmark and device, reviewable, with raw samples and a digest.

The digest makes a file that was cut, merged or edited by hand say so, instead of moving a verdict.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.baseline.slug import baseline_path
from perfgate.config.yaml_schema import DIALECT
from perfgate.core.codec import convert, decode, plain, readable_json
from perfgate.core.errors import UnusableError
from perfgate.core.record import SCHEMA, Provenance, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

RESTORE = (
    "restore it with `git checkout <commit> -- <file>`, or record it again with `perfgate baseline update`"
)
TRACE_DIGITS = 32
_ONE_LINE = frozenset({"protocol", "inputs"})


class Baselines(msgspec.Struct, frozen=True):
    """The accepted records by key, and the files that cannot be used, by path with the reason."""

    records: dict[str, Record]
    unusable: dict[str, str]


def encode_record(record: Record) -> str:
    """The text of a record file: sorted keys, one run per line, finite numbers only, its own digest."""
    content = _content(record)
    return readable_json(content | {"digest": _digest(content)}, flat=_ONE_LINE)


def _content(record: Record) -> dict[str, Any]:
    """What a file holds; parts of the subject that a benchmark does not have are left out.

    So the file of a model stays as it was before there were pipelines and files that flags name.
    """
    content: dict[str, Any] = plain(record)
    for name in ("pipeline", "files"):
        if not content["subject"][name]:
            del content["subject"][name]
    return content


def decode_record(data: bytes, path: str, *, check_digest: bool = True) -> Record:
    """Read one record file.

    Raises:
        UnusableError: with file and place; also for an unknown schema version, or content that is not what
            the digest was made of (unless `check_digest` is off, to show what a change does to the file).
    """
    content = decode(data, dict[str, object], path, UnusableError, RESTORE)
    version = content.get("schema")
    if version != SCHEMA:
        what = f"unknown schema {version!r}, this perfgate reads {SCHEMA!r}"
        raise UnusableError(what, path, "record it again, or use the perfgate that wrote it")
    digest = content.pop("digest", None)
    record = convert(content, Record, path, UnusableError, RESTORE)
    if check_digest and digest != _digest(content):
        raise UnusableError("the content does not match the file's digest (edited or merged?)", path, RESTORE)
    if not record.runs and not record.exact:
        raise UnusableError("the file holds no samples and no exact metrics", path, RESTORE)
    return record


def trace_id(record: Record) -> str:
    """32 hexadecimal digits that name a measurement in every report, as in W3C trace contexts.

    It follows from the content: the same record has the same id everywhere, whoever accepted it.
    """
    return _digest(_content(msgspec.structs.replace(record, provenance=Provenance())))[:TRACE_DIGITS]


def read_baselines(files: Mapping[str, bytes]) -> Baselines:
    """All baselines of a folder; a file that cannot be used is kept with its reason, never skipped."""
    records: dict[str, Record] = {}
    unusable: dict[str, str] = {}
    for path, data in sorted(files.items()):
        try:
            record = decode_record(data, path)
            _check_name(record, path)
        except UnusableError as problem:
            unusable[path] = str(problem)
            continue
        if record.key in records:
            what = f"another file holds {record.key} as well"
            unusable[path] = str(UnusableError(what, path, "keep one of them"))
        else:
            records[record.key] = record
    return Baselines(records, unusable)


def record_schema() -> dict[str, Any]:
    """The JSON Schema of a record file: a record with the digest of its content."""
    schema: dict[str, Any] = msgspec.json.schema(Record)
    record = schema["$defs"]["Record"]
    record["properties"] |= {
        "schema": {"const": SCHEMA},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
    record["required"] = sorted({*record["required"], "schema", "digest"})
    return {"$schema": DIALECT, "title": "perfgate record", **schema}


def _check_name(record: Record, path: str) -> None:
    expected = str(baseline_path(record.benchmark, record.device))
    if not f"/{path}".endswith(f"/{expected}"):
        what = f"the file holds {record.key}, whose baseline is {expected}"
        raise UnusableError(what, path, "rename the file, or record the baseline again")


def _digest(content: dict[str, object]) -> str:
    canonical = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
