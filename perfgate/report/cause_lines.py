"""The cause of a red benchmark in at most three lines: for failure texts, annotations and the comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.diagnosis_rows import fix_rows, operator_text, place_of, probability_text, shown_value

if TYPE_CHECKING:
    from perfgate.core.diagnosis import Cause, Diagnosis
    from perfgate.core.difference import Difference

_SHORT = 7


def cause_lines(found: Diagnosis) -> list[str]:
    """`cause 0.95: deploy/convert.sh:14 --optypelayout NHWC -> NCHW at #447 NAME`, commit, first fix."""
    cause = found.found
    if cause is None:
        return []
    lines = [f"cause {cause.confidence:.2f}: {_what(cause)}{_where(cause)}"]
    if cause.commit is not None:
        commit = cause.commit
        sure = "" if commit.probability is None else f" {probability_text(commit.probability)}"
        lines.append(f'commit: {commit.commit[:_SHORT]} "{commit.subject}" ({commit.relation}{sure})')
    first = next((row for row in fix_rows(found) if row.gain), None)
    if first is not None:
        lines.append(f"fix: {first.title}: {first.gain}, {first.relative}, re-simulated")
    return lines


def has_plan(found: Diagnosis | None) -> bool:
    """Some fix of a found cause gains when it is simulated."""
    return found is not None and found.found is not None and any(fix.after is not None for fix in found.fixes)


def _what(cause: Cause) -> str:
    difference = cause.difference
    return cause.sentence if difference is None else difference_text(difference)


def _where(cause: Cause) -> str:
    if cause.operator is None or (cause.difference is None and cause.operator.name in cause.sentence):
        return ""
    return f" at {operator_text(cause.operator)}"


def difference_text(difference: Difference) -> str:
    """`deploy/convert.sh:14 --optypelayout NHWC -> NCHW`."""
    before, after = (
        "(absent)" if value is None else shown_value(difference, value) or "(set)"
        for value in (difference.before, difference.after)
    )
    return f"{place_of(difference)} {difference.name} {before} -> {after}".strip()
