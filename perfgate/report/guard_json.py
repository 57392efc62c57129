"""The whole evaluation as a JSON object for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from perfgate.core.finding import Finding
    from perfgate.guardrails.evaluation import Evaluation, RuleOutcome

SCHEMA = 1

Json = dict[str, Any]  # a JSON object


def guard_json(evaluation: Evaluation) -> Json:
    """Findings, waived, unresolved and notes apart; per rule its matches, answer and origin."""
    notes = set(map(id, evaluation.notes))
    failed = [f for f in evaluation.findings if not f.is_unresolved and id(f) not in notes]
    return {
        "schema": SCHEMA,
        "exit_code": int(evaluation.exit_code),
        "findings": [_finding(finding) for finding in failed],
        "waived": [_finding(finding) for finding in evaluation.waived],
        "unresolved": [_finding(finding) for finding in evaluation.unresolved],
        "notes": [_finding(finding) for finding in evaluation.notes if not finding.is_unresolved],
        "rules": [_rule(outcome) for outcome in evaluation.outcomes],
        "commands": evaluation.commands,
        "files": evaluation.files,
    }


def _finding(finding: Finding) -> Json:
    value: Json = msgspec.to_builtins(finding)
    return {**value, "edits": list(value["edits"])}


def _rule(outcome: RuleOutcome) -> Json:
    rule = outcome.rule
    return {
        "id": rule.id,
        "key": outcome.key,
        "kind": str(rule.kind),
        "severity": str(rule.severity),
        "origin": str(rule.origin),
        "place": msgspec.to_builtins(rule.place),
        "answer": str(outcome.answer) if outcome.is_evaluated else None,
        "matches": len(outcome.matches),
        "findings": len(outcome.findings),
    }
