"""What one gate job leaves for the comment job: where it came from, its report, its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.store import read_baselines
from perfgate.core.codec import decode
from perfgate.core.errors import UnusableError
from perfgate.report.check_report import CheckReport, decode_check_report
from perfgate.workflow.measuring import PROFILE_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.record import Record

ORIGIN = "origin.json"
REPORT = "perfgate.json"
RECORDS = "records"
_SCHEMA = "perfgate/origin/1"
_REMEDY = "upload what `perfgate ci run` wrote"


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The change that a job measured: pull request (0 for a push) and head commit, as its own event said."""

    schema: str = _SCHEMA
    pull_request: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An accepted artefact. `claimed` is the job's own report, believed only where it makes things worse."""

    records: Mapping[str, Record]
    claimed: CheckReport | None


def read_delivery(files: Mapping[str, bytes], *, pull_request: int, head: str) -> Delivery:
    """Check the origin against the event before anything else is parsed, then read report and records.

    Raises:
        UnusableError: another change's records, or files that cannot be used.
    """
    data = files.get(ORIGIN)
    if data is None:
        raise UnusableError("the file is missing", ORIGIN, _REMEDY)
    origin = decode(data, Origin, ORIGIN, UnusableError, _REMEDY)
    if origin.pull_request != pull_request:
        what = f"the records are of pull request {origin.pull_request}, the event of {pull_request}"
        raise UnusableError(what, ORIGIN, _REMEDY)
    if origin.head != head:
        raise UnusableError(
            f"the records are of commit {origin.head!r}, the event of {head}", ORIGIN, _REMEDY
        )
    report = files.get(REPORT)
    claimed = None if report is None else decode_check_report(report, REPORT)
    records = {
        path: data
        for path, data in files.items()
        if path.startswith(f"{RECORDS}/") and not path.endswith(PROFILE_SUFFIX)
    }
    found = read_baselines(records)
    for reason in found.unusable.values():
        raise UnusableError(reason, "records", _REMEDY)
    return Delivery(records=found.records, claimed=claimed)
