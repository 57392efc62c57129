"""Sequence operators, folded away: a sequence is a list of tensor names while importing."""

from __future__ import annotations

from typing import Any

HANDLERS: dict[str, Any] = {}
Sequence = tuple[str, ...]
