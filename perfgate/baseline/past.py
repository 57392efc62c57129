"""An accepted record as it stood in an older commit."""

from __future__ import annotations

import msgspec

from perfgate.core.record import Record  # noqa: TC001 - msgspec reads the annotations at run time


class PastBaseline(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline and the commit that put it there; `date` is that of the commit, ISO 8601."""

    commit: str
    date: str
    subject: str
    record: Record
