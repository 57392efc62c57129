"""Faults as findings: severity, fingerprint, and what to write instead."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.finding import Answer, Finding, Severity
from perfgate.guardrails.certain_fix import wanted_text
from perfgate.guardrails.subject import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import Rule, Settings

FINGERPRINT_DIGITS = 16


def finding_of(rule: Rule, fault: Fault, program: str, settings: Settings) -> Finding:
    """A fault as a finding, without its fingerprint."""
    return Finding(
        rule=rule.id,
        severity=severity_of(rule, fault.answer, settings),
        answer=fault.answer,
        message=fault.message,
        span=place_of(fault.span),
        related=rule.place,
        program=program,
        flag=fault.flag,
        found=fault.found,
        expected=fault.expected,
        detail=rule.message,
        link=rule.link,
        fix=wanted_text(rule, fault) if fault.answer is Answer.FAIL else "",
    )


def severity_of(rule: Rule, answer: Answer, settings: Settings) -> Severity:
    """The rule's severity; for an unknown answer the one agreed on, but never above the rule's own."""
    if answer is not Answer.UNKNOWN:
        return rule.severity
    if rule.unresolved is not None:
        return rule.unresolved
    return min(rule.severity, settings.unresolved, key=lambda severity: severity.rank)


def fingerprint(finding: Finding, ordinal: int) -> str:
    """16 hex digits of what is wrong where, without line numbers, so that it survives moved code."""
    parts = (finding.rule, finding.span.path, finding.program, finding.flag, finding.found, str(ordinal))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:FINGERPRINT_DIGITS]


def with_fingerprints(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings with fingerprints; equal ones are numbered in their order in the file."""
    seen: Counter[str] = Counter()
    marked = []
    for finding in findings:
        alike = fingerprint(finding, 0)
        marked.append(msgspec.structs.replace(finding, fingerprint=fingerprint(finding, seen[alike])))
        seen[alike] += 1
    return tuple(marked)


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Sorted by path, line, column, rule; the rest only makes the order complete."""
    return tuple(
        sorted(findings, key=lambda f: (f.span.path, f.span.line, f.span.column, f.rule, f.flag, f.message))
    )
