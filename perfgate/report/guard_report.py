"""The whole evaluation of the guardrails as a report for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.finding import Answer, Finding, Place  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from perfgate.guardrails.evaluation import Evaluation, RuleOutcome

SCHEMA = "perfgate/guard/1"


class RuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """One rule; `answer` is None for a rule that needs a measurement. `matches` and `findings` are counts."""

    id: str
    key: str
    kind: str
    severity: str
    origin: str
    place: Place
    answer: Answer | None
    matches: int
    findings: int


class GuardReport(msgspec.Struct, frozen=True, kw_only=True):
    """Findings, waived ones, unresolved ones and notes apart; then every rule."""

    schema: str = SCHEMA
    exit_code: int
    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...]
    unresolved: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    rules: tuple[RuleRow, ...]
    commands: int
    files: int


def guard_report(evaluation: Evaluation) -> GuardReport:
    """The report of an evaluation."""
    notes = set(map(id, evaluation.notes))
    return GuardReport(
        exit_code=int(evaluation.exit_code),
        findings=tuple(f for f in evaluation.findings if not f.is_unresolved and id(f) not in notes),
        waived=evaluation.waived,
        unresolved=evaluation.unresolved,
        notes=tuple(finding for finding in evaluation.notes if not finding.is_unresolved),
        rules=tuple(_rule(outcome) for outcome in evaluation.outcomes),
        commands=evaluation.commands,
        files=evaluation.files,
    )


def _rule(outcome: RuleOutcome) -> RuleRow:
    rule = outcome.rule
    return RuleRow(
        id=rule.id,
        key=outcome.key,
        kind=str(rule.kind),
        severity=str(rule.severity),
        origin=str(rule.origin),
        place=rule.place,
        answer=outcome.answer if outcome.is_evaluated else None,
        matches=len(outcome.matches),
        findings=len(outcome.findings),
    )
