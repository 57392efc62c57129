"""The JSON report of `perfgate diagnose`: every diagnosis, and what the run as a whole has to say."""

from __future__ import annotations

import msgspec

from perfgate.core.codec import decode
from perfgate.core.diagnosis import Diagnosis  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.errors import UnusableError

SCHEMA = "perfgate/diagnoses/1"
_REMEDY = "write it with `perfgate diagnose --json FILE`"


class DiagnosisReport(msgspec.Struct, frozen=True, kw_only=True):
    """`exit_code` is the gate's; `diagnoses` worst first; `notes` are about the run."""

    schema: str = SCHEMA
    exit_code: int
    diagnoses: tuple[Diagnosis, ...]
    notes: tuple[str, ...] = ()


def decode_diagnoses(data: bytes, where: str) -> DiagnosisReport:
    """The report from the bytes of its file.

    Raises:
        UnusableError: broken JSON, another schema, or not its form.
    """
    content = decode(data, dict[str, object], where, UnusableError, _REMEDY)
    if content.get("schema") != SCHEMA:
        what = f"unknown schema {content.get('schema')!r}, this perfgate reads {SCHEMA!r}"
        raise UnusableError(what, where, _REMEDY)
    return decode(data, DiagnosisReport, where, UnusableError, _REMEDY)
