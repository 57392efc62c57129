"""Names of a model, cut where nobody reads on."""

from __future__ import annotations

UNNAMED = "(unnamed)"
SHOWN = 240  # characters; a viewer shows fewer


def short_name(name: str) -> str:
    """The name, or its beginning and how much is missing."""
    return name if len(name) <= SHOWN else f"{name[:SHOWN]}… ({len(name) - SHOWN} more characters)"
