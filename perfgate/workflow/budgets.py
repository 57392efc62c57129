"""Budgets and alerts of the guardrails on records: absolute limits beside the comparison with base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.summary import typical_value
from perfgate.core.metric import known_metric
from perfgate.core.verdict import BenchmarkVerdict  # noqa: TC001 - msgspec replaces it
from perfgate.guardrails.alert import evaluate_alerts
from perfgate.guardrails.budget import evaluate_budgets, measurement_of, unfitting_budgets
from perfgate.guardrails.metric_finding import alert_findings, budget_findings, unfitting_findings
from perfgate.report.failure_text import OVER_BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.core.finding import Finding
    from perfgate.core.record import Record
    from perfgate.guardrails.budget import BudgetOutcome
    from perfgate.guardrails.rule import RuleSet
    from perfgate.measure.benchmark import Benchmark


def budget_rows(
    rules: RuleSet, records: Mapping[str, Record], benchmarks: Iterable[Benchmark]
) -> tuple[BudgetOutcome, ...]:
    """Every budget on every record, met or not, then those that fit none of the benchmarks, for a table."""
    measured = [measurement_of(record, _location) for record in records.values()]
    return (*evaluate_budgets(rules, measured), *unfitting_budgets(rules, _names(benchmarks)))


def unfitting(rules: RuleSet, benchmarks: Iterable[Benchmark]) -> tuple[tuple[str, ...], bool]:
    """A line per budget that fits no benchmark of the suite, and whether one of them fails the run."""
    findings = unfitting_findings(unfitting_budgets(rules, _names(benchmarks)), rules.settings)
    is_red = any(finding.severity.rank >= rules.settings.fail_on.rank for finding in findings)
    return tuple(f"{item.span}: {item.severity}: {item.message} [{item.rule}]" for item in findings), is_red


def _names(benchmarks: Iterable[Benchmark]) -> list[tuple[str, str]]:
    return [(item.name, item.device) for item in benchmarks]


def metric_findings(rules: RuleSet, records: Mapping[str, Record]) -> dict[str, list[Finding]]:
    """What budgets and alerts say of each record, by record key; met ones say nothing."""
    found = {}
    for key, record in records.items():
        measured = [measurement_of(record, _location)]
        findings = [
            *budget_findings(evaluate_budgets(rules, measured), rules.settings),
            *alert_findings(evaluate_alerts(rules, measured), rules.settings),
        ]
        if findings:
            found[key] = findings
    return found


def with_budgets(
    verdicts: Iterable[BenchmarkVerdict], rules: RuleSet, records: Mapping[str, Record]
) -> tuple[list[BenchmarkVerdict], bool]:
    """The verdicts with their broken budgets as notes, and whether one of them fails the run.

    A budget never changes the comparison's verdict; it makes the benchmark red on its own.
    """
    found = metric_findings(rules, records)
    fail_on = rules.settings.fail_on.rank
    result, is_broken = [], False
    for item in verdicts:
        mine = found.get(item.key, [])
        is_red = any(finding.severity.rank >= fail_on for finding in mine)
        is_broken = is_broken or is_red
        notes = (*item.notes, *(f"{OVER_BUDGET}{finding.message} [{finding.rule}]" for finding in mine))
        is_failure = item.is_failure or is_red
        result.append(
            msgspec.structs.replace(
                item,
                notes=notes,
                is_failure=is_failure,
                is_warning=not is_failure and (item.is_warning or bool(mine)),
            )
        )
    return result, is_broken


def _location(record: Record, name: str) -> float | None:
    metric = next((item for item in record.ruler.metrics if item.name == name), known_metric(name))
    return None if metric is None else typical_value(record, metric)
