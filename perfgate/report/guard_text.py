"""Findings for a terminal: place, message, source line with carets, rule, fix and fingerprint."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from perfgate.core.finding import Severity
from perfgate.report.display_text import caret_lines, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perfgate.core.finding import Finding
    from perfgate.guardrails.evaluation import Evaluation

_WORDS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.NOTE: "note"}
_GUTTER = 5  # width of the line number, as in `   12 | `


def render_text(evaluation: Evaluation, sources: Mapping[str, bytes], header: Sequence[str] = ()) -> str:
    """All findings and the summary; `sources` are the files that findings point into, as far as known."""
    lines = list(header)
    files = _Lines(sources)
    for finding in evaluation.findings:
        lines.extend(finding_lines(finding, files))
    lines.append(summary(evaluation))
    return "\n".join(lines) + "\n"


class _Lines:
    """Source lines by file, decoded once."""

    __slots__ = ("_known", "_sources")

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self._sources = sources
        self._known: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str | None:
        """The text of a 1-based line without its line end, or None."""
        if path not in self._known:
            data = self._sources.get(path, b"").removeprefix(b"\xef\xbb\xbf")
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                text = data.decode("latin-1")
            self._known[path] = text.split("\n")
        lines = self._known[path]
        return lines[number - 1].removesuffix("\r") if 0 < number <= len(lines) else None


def finding_lines(finding: Finding, files: _Lines) -> Iterator[str]:
    """The lines of one finding."""
    span = finding.span
    where = f"{one_line(span.path)}:{span.line}:{span.column}"
    yield f"{where}: {_WORDS[finding.severity]}: {one_line(finding.message)} [{finding.rule}]"
    text = files.line(span.path, span.line)
    if text:
        end = span.end_column if span.end_line == span.line else len(text) + 1
        shown, carets = caret_lines(text, span.column - 1, end - 1)
        yield f"{span.line:>{_GUTTER}} | {shown}"
        yield f"{'':>{_GUTTER}} | {carets}"
    if finding.related is not None and finding.related != span:
        yield f"  rule: {one_line(str(finding.related))}   {one_line(finding.detail)}".rstrip()
    elif finding.detail:
        yield f"  why:  {one_line(finding.detail)}"
    if finding.link:
        yield f"  more: {one_line(finding.link)}"
    if finding.fix:
        offer = "   (perfgate guard --fix)" if finding.edits else ""
        yield f"  fix:  {one_line(finding.fix)}{offer}"
    if finding.fingerprint:
        yield f"  waive: fingerprint {finding.fingerprint}"


def summary(evaluation: Evaluation) -> str:
    """`1 error, 1 unresolved, 1 waived (id until day, owner); 6 rules, 9 commands in 4 of 212 files`."""
    counts = Counter(finding.severity for finding in evaluation.findings if not finding.is_unresolved)
    parts = [
        _counted(counts[Severity.ERROR], "error"),
        _counted(counts[Severity.WARN], "warning"),
        _counted(counts[Severity.NOTE], "note"),
        f"{len(evaluation.unresolved)} unresolved" if evaluation.unresolved else "",
        _waived(evaluation.waived),
    ]
    said = ", ".join(part for part in parts if part) or "0 findings"
    rules = len(evaluation.outcomes)
    waiting = sum(1 for outcome in evaluation.outcomes if not outcome.is_evaluated)
    rule_text = _counted(rules, "rule") or "0 rules"
    if waiting:
        rule_text += f" ({waiting} on metrics, not evaluated here)"
    commands = _counted(evaluation.commands, "command") or "0 commands"
    return f"{said}; {rule_text}, {commands} in {evaluation.files_with_commands} of {evaluation.files} files"


def _counted(count: int, word: str) -> str:
    return "" if not count else f"{count} {word}" if count == 1 else f"{count} {word}s"


def _waived(waived: Sequence[Finding]) -> str:
    if not waived:
        return ""
    named = dict.fromkeys(
        f"{finding.rule} until {finding.waived_by.expires}, {one_line(finding.waived_by.owner)}"
        for finding in waived
        if finding.waived_by is not None
    )
    return f"{len(waived)} waived ({'; '.join(named)})"
