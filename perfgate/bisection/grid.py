"""Evenly spaced commits that are probed first, to see a change that is undone before the bad end."""

from __future__ import annotations

UNDONE = "the change is undone before the bad end"


def grid_places(last: int, count: int) -> list[int]:
    """At most `count` positions between 0 and `last`, ends left out, with equal distances."""
    places = {round(last * part / (count + 1)) for part in range(1, count + 1)}
    return sorted(places - {0, last})
