"""The content security policy of the page: its own scripts by their hash, and nothing from anywhere else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def normalised(script: str) -> str:
    """The script as a browser reads it: line ends are LF before it is hashed."""
    return script.replace("\r\n", "\n").replace("\r", "\n")


def content_policy(scripts: Iterable[str]) -> str:
    """The value of the policy for a page whose inline scripts are these texts."""
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"


def _hash(script: str) -> str:
    return b64encode(sha256(normalised(script).encode("utf-8")).digest()).decode("ascii")
