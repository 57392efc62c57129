"""What `perfgate doctor` found: lines for people, JSON for machines."""

from __future__ import annotations

import msgspec

SCHEMA = "perfgate/doctor/1"


class DoctorLine(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, what was found, and what to do when it is not well or could be better.

    `is_well` False makes the doctor end with 1; a line with a remedy that is well is advice.
    """

    topic: str
    text: str
    is_well: bool = True
    remedy: str = ""

    def __str__(self) -> str:
        mark = "ok " if self.is_well else "BAD"
        return f"{mark} {self.topic}: {self.text}" + (f": {self.remedy}" if self.remedy else "")


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """All lines; the exit code is 1 when one is not well."""

    schema: str = SCHEMA
    exit_code: int
    lines: tuple[DoctorLine, ...]
