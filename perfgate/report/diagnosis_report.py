"""The JSON report of `perfgate diagnose`: every diagnosis, and what the run as a whole has to say."""

from __future__ import annotations

import msgspec

from perfgate.core.diagnosis import Diagnosis  # noqa: TC001 - msgspec reads the annotations at run time

SCHEMA = "perfgate/diagnoses/1"


class DiagnosisReport(msgspec.Struct, frozen=True, kw_only=True):
    """`exit_code` is the gate's; `diagnoses` worst first; `notes` are about the run."""

    schema: str = SCHEMA
    exit_code: int
    diagnoses: tuple[Diagnosis, ...]
    notes: tuple[str, ...] = ()
