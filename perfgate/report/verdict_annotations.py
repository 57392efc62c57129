"""A finished check as workflow commands, worst first, at the file and line that caused each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Severity
from perfgate.report.failure_text import failure_text
from perfgate.report.github_annotations import (
    MAX_PER_LEVEL,
    annotation,
    escaped_message,
    escaped_property,
)

if TYPE_CHECKING:
    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.report.check_report import CheckReport


def annotation_lines(report: CheckReport) -> tuple[str, ...]:
    """Guardrail findings, then verdicts, errors before warnings; ten, then one notice with the number left.

    The notice is of another level than the ten, because GitHub drops what is beyond ten of one level.
    """
    findings = sorted(report.guardrails.findings, key=lambda finding: -finding.severity.rank)
    errors = [annotation(item) for item in findings if item.severity is Severity.ERROR]
    errors += [_verdict(item, report) for item in report.verdicts if item.is_failure]
    warnings = [annotation(item) for item in findings if item.severity is Severity.WARN]
    warnings += [
        _verdict(item, report) for item in report.verdicts if item.is_warning and not item.is_failure
    ]
    lines = [*errors, *warnings]
    left = len(lines) - MAX_PER_LEVEL
    more = (f"::notice title=perfgate::{left} more are in the job summary",) if left > 0 else ()
    return (*lines[:MAX_PER_LEVEL], *more)


def _verdict(item: BenchmarkVerdict, report: CheckReport) -> str:
    explanation = report.explanations.get(item.key)
    changed = [change.place for change in explanation.settings] if explanation is not None else []
    place = next(iter(changed), report.places.get(item.key, ""))
    properties = [*_place_properties(place), f"title={escaped_property(f'perfgate: {item.key}')}"]
    level = "error" if item.is_failure else "warning"
    return f"::{level} {','.join(properties)}::{escaped_message(failure_text(item, explanation))}"


def _place_properties(place: str) -> list[str]:
    """`file` and `line` of a `path:line:column`; nothing when it is none."""
    path, _, rest = place.rpartition(":")
    path, _, line = path.rpartition(":") if rest.isdecimal() else ("", "", "")
    if not path or not line.isdecimal():
        return []
    return [f"file={escaped_property(path)}", f"line={line}"]
