"""What a calibration was fitted with: a hash of the rules and of how causes are made of them."""

from __future__ import annotations

import hashlib
from importlib.resources import files

_FILES = ("rules.yaml", "causes.py", "confidence.py")


def inputs_hash() -> str:
    """SHA-256 over rules, thresholds and the making of causes, line ends as LF."""
    folder = files("perfgate.diagnose")
    rules = sorted(
        (item for item in folder.joinpath("rules").iterdir() if item.name.endswith(".py")),
        key=lambda item: item.name,
    )
    digest = hashlib.sha256()
    for item in (*(folder.joinpath(name) for name in _FILES), *rules):
        digest.update(item.name.encode() + b"\n" + item.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()
