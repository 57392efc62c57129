"""The guardrail that would have stopped a flag: one line for `guardrails.yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import LEAST_FOUND
from perfgate.core.difference import DifferenceKind
from perfgate.core.setting import stage_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import Cause


def guardrail_for(causes: Sequence[Cause], target: str) -> str:
    """`TARGET: require --flag=value`, for the first found cause that is a flag of a compile command."""
    for cause in causes:
        difference = cause.difference
        if cause.confidence < LEAST_FOUND or difference is None or difference.kind is not DifferenceKind.FLAG:
            continue
        if not difference.place:
            continue
        _, flag = stage_of(difference.name)
        if difference.before is None:
            return f"{target}: forbid {flag}"
        value = f"={difference.before}" if difference.before else ""
        return f"{target}: require {flag}{value}"
    return ""
