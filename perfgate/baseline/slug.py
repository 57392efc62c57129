"""File names of baselines: short, valid on every system, and never shared by two benchmarks."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

MAX_LENGTH = 80
_RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)),
}


def slug(identity: str) -> str:
    """Lower case, other characters than `a-z0-9._-` folded to `-`, at most 80 characters.

    Whenever folding or cutting changed the text, or the name is reserved on some system, `-` and 8 hex
    digits of the identity's SHA-256 follow, so different identities never share a name.
    """
    folded = re.sub(r"[^a-z0-9._-]+", "-", identity.lower())[:MAX_LENGTH].strip(".-")
    is_reserved = folded.split(".")[0] in _RESERVED
    if folded == identity and folded and not is_reserved:
        return folded
    digest = hashlib.sha256(identity.encode()).hexdigest()[:8]
    return f"{folded or 'benchmark'}-{digest}"


def baseline_path(benchmark: str, device: str) -> PurePosixPath:
    """Path of a baseline below the baselines folder: `<device>/<benchmark>.json`."""
    return PurePosixPath(slug(device)) / f"{slug(benchmark)}.json"
