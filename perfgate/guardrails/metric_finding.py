"""Budgets and alerts that do not hold, as findings at their rule's line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer, Finding
from perfgate.core.units import readable
from perfgate.guardrails.budget import Status
from perfgate.guardrails.finding import severity_of
from perfgate.guardrails.metric_names import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.guardrails.alert import AlertOutcome
    from perfgate.guardrails.budget import BudgetOutcome
    from perfgate.guardrails.rule import BudgetRow, Settings


def budget_findings(outcomes: Sequence[BudgetOutcome], settings: Settings) -> tuple[Finding, ...]:
    """One finding per row that is missed or has no value."""
    return tuple(_of_budget(outcome, settings) for outcome in outcomes if outcome.status is not Status.PASS)


def _of_budget(outcome: BudgetOutcome, settings: Settings) -> Finding:
    rule, row = outcome.rule, outcome.row
    where = f"{outcome.benchmark}[{outcome.device}]" + (f" {outcome.operator}" if outcome.operator else "")
    wanted = f"{row.sign}{row.limit}"
    if outcome.value is None or outcome.status is Status.UNKNOWN:
        text = f"{where}: {row.metric} was not measured, must be {wanted}"
        severity = severity_of(rule, Answer.UNKNOWN, settings)
        return Finding(
            rule=rule.id,
            severity=severity,
            answer=Answer.UNKNOWN,
            message=text,
            span=rule.place,
            related=rule.place,
        )
    missed = f", missed by {100 * (outcome.missed_by or 0.0):.2f} %"
    found = shown_value(outcome.value, row)
    return Finding(
        rule=rule.id,
        severity=outcome.severity or rule.severity,
        answer=Answer.FAIL,
        message=f"{where}: {row.metric} is {found}, must be {wanted}{missed}",
        span=rule.place,
        related=rule.place,
        found=found,
        expected=wanted,
        detail=rule.message,
        link=rule.link,
    )


def unfitting_findings(outcomes: Sequence[BudgetOutcome], settings: Settings) -> tuple[Finding, ...]:
    """One finding per row that fits no benchmark: renamed or misspelt, it would guard nothing unseen."""
    return tuple(
        Finding(
            rule=outcome.rule.id,
            severity=severity_of(outcome.rule, Answer.UNKNOWN, settings),
            answer=Answer.UNKNOWN,
            message=f"no benchmark is a {outcome.benchmark}[{outcome.device}], so nobody judges its "
            f"{outcome.row.metric} {outcome.row.sign}{outcome.row.limit}",
            span=outcome.rule.place,
            related=outcome.rule.place,
        )
        for outcome in outcomes
    )


_BINARY = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))


def shown_value(value: float, row: BudgetRow) -> str:
    """A value as `core.units` shows it, but bytes in the powers of 1024 that limits are counted in."""
    unit = "s" if row.op else UNITS[row.metric]
    for factor, name in _BINARY if unit == "B" else ():
        if abs(value) >= factor:
            return f"{value / factor:.2f} {name}"
    return readable(value, unit)


def alert_findings(outcomes: Sequence[AlertOutcome], settings: Settings) -> tuple[Finding, ...]:
    """One finding per alert that fires or cannot be judged."""
    return tuple(
        Finding(
            rule=outcome.rule.id,
            severity=severity_of(outcome.rule, outcome.answer, settings),
            answer=outcome.answer,
            message=_alert_text(outcome),
            span=outcome.rule.place,
            related=outcome.rule.place,
            detail=outcome.rule.message,
            link=outcome.rule.link,
        )
        for outcome in outcomes
        if outcome.answer is not Answer.PASS
    )


def _alert_text(outcome: AlertOutcome) -> str:
    where = f"{outcome.benchmark}[{outcome.device}]"
    if outcome.answer is Answer.UNKNOWN:
        return f"{where}: a counter that the alert needs was not recorded"
    return f"{where}: {outcome.action}"
