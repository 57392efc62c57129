"""How long ago something was, in the words people use."""

from __future__ import annotations

import datetime as dt

_STEPS = ((365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def age(date: str, now: dt.datetime) -> str:
    """`3 days ago` for an ISO 8601 date with its zone; "" when it is none."""
    try:
        then = dt.datetime.fromisoformat(date)
    except ValueError:
        return ""
    if then.tzinfo is None:
        return ""
    seconds = (now - then).total_seconds()
    for size, word in _STEPS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    return "just now" if seconds >= 0 else "in the future"
