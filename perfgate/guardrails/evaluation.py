"""The answer of a whole rule set: findings, waived findings, and what every rule matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from perfgate.core.finding import Answer, Severity

if TYPE_CHECKING:
    from perfgate.config.facts import Span
    from perfgate.core.finding import Finding, Place
    from perfgate.guardrails.rule import Rule, RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A call, setting or file that a rule concerned. `place` is all of it, `name_place` its program word."""

    place: Place
    name_place: Place
    program: str
    answer: Answer
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """What one rule says over all files. `is_evaluated` is false for rules that need a measurement.

    `findings` include waived ones (`waived_by` is set), which the answer does not count.
    """

    rule: Rule
    answer: Answer
    matches: tuple[Match, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_evaluated: bool = True

    @property
    def key(self) -> str:
        """The rule as test reports name it: `guardrails.yaml::atc_convert/require/--optypelayout`."""
        return self.rule.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All of it. `findings` count and are sorted by path, line, column and rule; `waived` are listed only."""

    rules: RuleSet
    outcomes: tuple[RuleOutcome, ...]
    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...] = ()
    commands: int = 0
    files_with_commands: int = 0
    files: int = 0

    @property
    def exit_code(self) -> ExitCode:
        """1 when a finding that is not waived reaches `fail_on`, else 0."""
        fail_on = self.rules.settings.fail_on
        is_red = any(finding.severity.rank >= fail_on.rank for finding in self.findings)
        return ExitCode.FAIL if is_red else ExitCode.PASS

    @property
    def unresolved(self) -> tuple[Finding, ...]:
        """Findings that the files do not decide."""
        return tuple(finding for finding in self.findings if finding.is_unresolved)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Findings of severity note."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.NOTE)

    def broken_at(self, span: Span) -> tuple[Finding, ...]:
        """Failed findings that are not waived of the call or setting at exactly this span."""
        found = [match for outcome in self.outcomes for match in outcome.matches if _is_at(match.place, span)]
        return tuple(
            finding
            for match in found
            for finding in match.findings
            if finding.answer is Answer.FAIL and finding.waived_by is None
        )


def _is_at(place: Place, span: Span) -> bool:
    here = place.path, place.line, place.column, place.end_line, place.end_column
    return here == (span.path, span.line, span.column, span.end_line, span.end_column)
