"""Budgets and target matrices as one table: target, value now, share missed, status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.guardrails.metric_finding import shown_value
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.guardrails.budget import BudgetOutcome

_HEAD = ("benchmark", "metric", "target", "now", "missed by", "status")


def budget_table(outcomes: Sequence[BudgetOutcome]) -> str:
    """All rows in their order; empty when there are none."""
    if not outcomes:
        return ""
    rows = [_row(outcome) for outcome in outcomes]
    return tabulate(rows, headers=_HEAD, tablefmt="simple", disable_numparse=True)


def _row(outcome: BudgetOutcome) -> tuple[str, ...]:
    row = outcome.row
    name = outcome.operator or row.metric
    missed = "-" if outcome.missed_by is None else f"{100 * outcome.missed_by:.2f} %"
    now = "-" if outcome.value is None else shown_value(outcome.value, row)
    key = f"{outcome.benchmark}[{outcome.device}]"
    return inert(key), inert(name), f"{row.sign}{row.limit}", now, missed, str(outcome.status)
