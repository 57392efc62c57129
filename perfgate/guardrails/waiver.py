"""Waivers: dated, owned exceptions. They stand in the rule file of the base commit and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.finding import Answer, Finding, Severity, Waived
from perfgate.guardrails.globs import path_matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.guardrails.rule import RuleSet, Waiver

EXPIRED = "waiver-expired"
EXPIRES_SOON = "waiver-expires-soon"
TOO_LONG = "waiver-too-long"
UNUSED = "waiver-unused"
IN_SAME_CHANGE = "waiver-in-same-change"
NOTICE_DAYS = 14  # before the last day


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiving:
    """Findings in their order, covered ones with `waived_by`; `remarks` are on the waivers."""

    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...]


def apply_waivers(findings: Sequence[Finding], rules: RuleSet, today: date) -> Waiving:
    """Cover findings by valid waivers and say what is wrong with the others."""
    limit = rules.settings.waiver_max_days
    valid = {waiver.identity: waiver for waiver in rules.waivers if is_valid(waiver, today, limit)}
    judged = tuple(_covered(finding, tuple(valid.values())) for finding in findings)
    hinted = tuple(_hinted(finding, rules.waivers) for finding in judged)
    remarks = [remark for waiver in rules.waivers for remark in _remarks(waiver, today, limit)]
    remarks.extend(_held(waiver) for waiver in rules.held_waivers)
    remarks.extend(_unused(waiver) for waiver in rules.waivers if not _matches_something(waiver, findings))
    return Waiving(findings=hinted, remarks=tuple(remarks))


def is_valid(waiver: Waiver, today: date, max_days: int) -> bool:
    """Its last day has not passed and is not too far away."""
    return today <= waiver.expires <= today + timedelta(days=max_days)


def covers(waiver: Waiver, finding: Finding) -> bool:
    """Same rule, file and fingerprint."""
    return _is_for(waiver, finding) and waiver.fingerprint == finding.fingerprint


def _is_for(waiver: Waiver, finding: Finding) -> bool:
    return (
        waiver.rule == finding.rule
        and path_matches(waiver.path, finding.span.path)
        and bool(finding.fingerprint)
    )


def _covered(finding: Finding, valid: Sequence[Waiver]) -> Finding:
    waiver = next((waiver for waiver in valid if covers(waiver, finding)), None)
    if waiver is None:
        return finding
    waived = Waived(
        owner=waiver.owner, reason=waiver.reason, expires=waiver.expires.isoformat(), ticket=waiver.ticket
    )
    return msgspec.structs.replace(finding, waived_by=waived)


def _hinted(finding: Finding, waivers: Sequence[Waiver]) -> Finding:
    if finding.waived_by is not None or any(covers(waiver, finding) for waiver in waivers):
        return finding
    if not any(_is_for(waiver, finding) for waiver in waivers):
        return finding
    return msgspec.structs.replace(finding, message=f"{finding.message} (a waiver exists for another value)")


def _matches_something(waiver: Waiver, findings: Sequence[Finding]) -> bool:
    return any(covers(waiver, finding) for finding in findings)


def _remarks(waiver: Waiver, today: date, max_days: int) -> Iterator[Finding]:
    if today > waiver.expires:
        text = f"the waiver of {waiver.rule} for {waiver.path} ended on {waiver.expires}"
        yield _remark(waiver, EXPIRED, Severity.ERROR, f"{text}; mend the place or agree on a new date")
    elif waiver.expires > today + timedelta(days=max_days):
        text = f"the waiver of {waiver.rule} for {waiver.path} runs until {waiver.expires}"
        yield _remark(waiver, TOO_LONG, Severity.ERROR, f"{text}, longer than {max_days} days; not applied")
    elif waiver.expires - today <= timedelta(days=NOTICE_DAYS):
        days = (waiver.expires - today).days
        text = f"the waiver of {waiver.rule} for {waiver.path} ends on {waiver.expires}"
        yield _remark(waiver, EXPIRES_SOON, Severity.WARN, f"{text}, in {days} days")


def _held(waiver: Waiver) -> Finding:
    text = f"the waiver of {waiver.rule} for {waiver.path} is new or extended in this change and not applied"
    return _remark(waiver, IN_SAME_CHANGE, Severity.WARN, f"{text}; merge it first")


def _unused(waiver: Waiver) -> Finding:
    return _remark(
        waiver, UNUSED, Severity.WARN, f"the waiver of {waiver.rule} for {waiver.path} matches nothing"
    )


def _remark(waiver: Waiver, rule: str, severity: Severity, message: str) -> Finding:
    return Finding(rule=rule, severity=severity, answer=Answer.FAIL, message=message, span=waiver.place)
