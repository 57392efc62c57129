"""Findings as workflow commands, which GitHub shows as annotations on the changed lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from perfgate.core.finding import Severity
from perfgate.report.display_text import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.finding import Finding

MAX_PER_LEVEL = 10  # GitHub drops what is beyond, per step and level
_LEVELS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.NOTE: "notice"}


def github_lines(findings: Sequence[Finding]) -> tuple[str, ...]:
    """One workflow command per finding, ten of each level, then one line with the number left out."""
    counts: Counter[Severity] = Counter()
    lines = []
    for finding in findings:
        counts[finding.severity] += 1
        if counts[finding.severity] <= MAX_PER_LEVEL:
            lines.append(annotation(finding))
    for severity in reversed(Severity):
        left = counts[severity] - MAX_PER_LEVEL
        if left > 0:
            lines.append(f"::{_LEVELS[severity]} title=perfgate guard::{left} more are in the log")
    return tuple(lines)


def annotation(finding: Finding) -> str:
    """The workflow command of one finding."""
    span = finding.span
    properties = [
        f"file={escaped_property(span.path)}",
        f"line={span.line}",
        f"endLine={span.end_line}",
    ]
    if span.end_line == span.line:  # GitHub ignores columns of spans over several lines
        properties += [f"col={span.column}", f"endColumn={span.end_column}"]
    properties.append(f"title={escaped_property(finding.rule)}")
    text = finding.message if not finding.detail else f"{finding.message}\n{finding.detail}"
    return f"::{_LEVELS[finding.severity]} {','.join(properties)}::{escaped_message(text)}"


def escaped_message(text: str) -> str:
    """The part of a workflow command after its second `::`; lines stay lines, nothing becomes a command."""
    lines = [escaped(line) for line in text.split("\n")]
    return "%0A".join(line.replace("%", "%25").replace("\r", "%0D") for line in lines)


def escaped_property(text: str) -> str:
    """The value of one property of a workflow command."""
    return escaped_message(text).replace(":", "%3A").replace(",", "%2C")
