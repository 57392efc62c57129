"""The answer of a whole rule set: findings, waived findings, and what every rule matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from perfgate.core.finding import Answer, Severity

if TYPE_CHECKING:
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

    def broken_places(self) -> dict[Place, Finding]:
        """Calls, settings and files that break an error rule and are not waived, with one reason each."""
        return {
            match.place: finding
            for outcome in reversed(self.outcomes)
            for match in outcome.matches
            for finding in reversed(match.findings)
            if finding.answer is Answer.FAIL
            and finding.waived_by is None
            and finding.severity is Severity.ERROR
        }
