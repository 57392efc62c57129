"""A case: an incident as the repository remembers it, so that a later one like it is recognised."""

from __future__ import annotations

import msgspec

SCHEMA = "perfgate/cases/1"


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An incident. `operator` is a type (`Conv`), `gain` the share that the fix took away (.756).

    `rule`, `operator` and `flag` are the key: a diagnosis with the same is of the same kind.
    """

    version: int = 1
    incident: str
    date: str
    rule: str
    operator: str = ""
    flag: str = ""
    gain: float | None = None
    benchmark: str = ""
    device: str = ""
    commit: str = ""
    guardrail: str = ""

    @property
    def title(self) -> str:
        """`2026-11-10 sd3 layout`."""
        return f"{self.date} {self.incident}"


class CaseList(msgspec.Struct, frozen=True, kw_only=True):
    """What `perfgate cases` answers; newest first."""

    schema: str = SCHEMA
    cases: tuple[Case, ...]
