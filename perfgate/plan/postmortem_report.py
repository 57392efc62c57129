"""What `perfgate postmortem` answers to machines."""

from __future__ import annotations

import msgspec

SCHEMA = "perfgate/postmortem/1"


class PostmortemReport(msgspec.Struct, frozen=True, kw_only=True):
    """`page` is the Markdown file, "" for standard output; `guardrail` the line that was proven, or "".

    `is_added`: it was appended; else the rules said so already, or it was not asked for.
    """

    schema: str = SCHEMA
    exit_code: int = 0
    incident: str
    page: str
    case: str
    guardrail: str = ""
    is_added: bool = False
    rejected: tuple[str, ...] = ()
