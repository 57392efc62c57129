"""`perfgate compare`: two folders of records, judged as a gate would; needs neither git nor suites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import ExitCode, NothingMeasuredError, UsageError
from perfgate.diagnose.explanation import explain
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.evidence_log import check_evidence
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.report.check_report import verdict_of
from perfgate.report.compare_report import CompareReport
from perfgate.workflow.check import needs_explanation, worst_first
from perfgate.workflow.measuring import read_records
from perfgate.workflow.policies import read_policy

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    from perfgate.core.record import Record
    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.diagnose.explanation import Explanation
    from perfgate.gate.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The decision on two folders; no fresh runs can be taken, so a suspect stays inconclusive."""

    verdicts: tuple[BenchmarkVerdict, ...]
    explanations: Mapping[str, Explanation]
    decision: Decision
    exit_code: ExitCode


def compare_folders(
    old: Path, new: Path, policy: Path | None, today: dt.date, metrics: tuple[str, ...] = ()
) -> Compared:
    """Judge the records of `new` against those of `old`; with `metrics` by these alone.

    Raises:
        UsageError: a folder is missing, or both hold the same records.
        NothingMeasuredError: no benchmark stands in both.
        UnusableError: a record or the policy cannot be used.
    """
    before, now = read_sides(old, new)
    return compare_records(before, now, policy, today, metrics)


def read_sides(old: Path, new: Path) -> tuple[dict[str, Record], dict[str, Record]]:
    """The records of both folders, which have to be two measurements with something in common.

    Raises:
        UsageError: a folder is missing, or both hold the same records.
        NothingMeasuredError: no benchmark stands in both.
        UnusableError: a record cannot be used.
    """
    before, now = read_records(old), read_records(new)
    _refuse_same(before, now, old, new)
    if not before.keys() & now.keys():
        raise NothingMeasuredError(
            "no benchmark stands in both folders", f"{old} and {new}", "check the folders"
        )
    return before, now


def compare_records(
    before: Mapping[str, Record],
    now: Mapping[str, Record],
    policy: Path | None,
    today: dt.date,
    metrics: tuple[str, ...] = (),
) -> Compared:
    """Judge records by key against others; with `metrics` by these alone.

    Raises:
        NothingMeasuredError: no record holds one of the metrics.
        UnusableError: the policy cannot be used.
    """
    if metrics:
        before, now = _with_metrics(before, metrics), _with_metrics(now, metrics)
    rules = _policy(policy, today)
    decision = decide_in_stages(before, now, rules, None, options=JudgeOptions())
    explanations = {
        item.key: explain(before[item.key], now[item.key])
        for item in decision.benchmarks
        if needs_explanation(item) and item.key in before and item.key in now
    }
    return Compared(
        verdicts=tuple(sorted(decision.benchmarks, key=worst_first)),
        explanations=explanations,
        decision=decision,
        exit_code=decision.exit_code,
    )


def compare_report(compared: Compared) -> CompareReport:
    """The report for machines."""
    return CompareReport(
        exit_code=int(compared.exit_code),
        verdict=verdict_of(int(compared.exit_code)),
        verdicts=compared.verdicts,
        explanations=dict(compared.explanations),
        notes=compared.decision.notes,
        evidence=tuple(check_evidence(row) for row in compared.decision.evidence),
    )


def _refuse_same(before: Mapping[str, Record], now: Mapping[str, Record], old: Path, new: Path) -> None:
    """A record compared with itself is always unchanged, which would say nothing."""
    common = before.keys() & now.keys()
    if common and all(before[key].runs == now[key].runs for key in common):
        raise UsageError(
            "both folders hold the same records", f"{old} and {new}", "name two different recordings"
        )


def _with_metrics(records: Mapping[str, Record], names: tuple[str, ...]) -> dict[str, Record]:
    """The records that hold one of the metrics, with these only.

    Raises:
        NothingMeasuredError: no record holds one of the names.
    """
    known = sorted({metric.name for record in records.values() for metric in record.ruler.metrics})
    for name in names:
        if name not in known:
            remedy = f"choose from {', '.join(known)}"
            raise NothingMeasuredError(f"no record holds the metric {name!r}", "--metric", remedy)
    kept = {}
    for key, record in records.items():
        chosen = tuple(metric for metric in record.ruler.metrics if metric.name in names)
        if chosen:
            exact = {name: value for name, value in record.exact.items() if name in names}
            ruler = msgspec.structs.replace(record.ruler, metrics=chosen)
            kept[key] = msgspec.structs.replace(record, ruler=ruler, exact=exact)
    return kept


def _policy(path: Path | None, today: dt.date) -> SuitePolicy:
    if path is None:
        return SuitePolicy()
    loaded = read_policy(path, today)
    return SuitePolicy(rules=loaded.rules, removed=loaded.removed)
