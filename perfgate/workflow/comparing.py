"""`perfgate compare`: two folders of records, judged as a gate would; needs neither git nor suites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode, NothingMeasuredError, UnusableError, UsageError
from perfgate.diagnose.explanation import explain
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.policy_file import load_policy
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.workflow.check import needs_explanation, worst_first
from perfgate.workflow.measuring import read_records

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


def compare_folders(old: Path, new: Path, policy: Path | None, today: dt.date) -> Compared:
    """Judge the records of `new` against those of `old`.

    Raises:
        UsageError: a folder is missing, or both hold the same records.
        NothingMeasuredError: no benchmark stands in both.
        UnusableError: a record or the policy cannot be used.
    """
    before, now = read_records(old), read_records(new)
    _refuse_same(before, now, old, new)
    if not before.keys() & now.keys():
        raise NothingMeasuredError(
            "no benchmark stands in both folders", f"{old} and {new}", "check the folders"
        )
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


def _refuse_same(before: Mapping[str, Record], now: Mapping[str, Record], old: Path, new: Path) -> None:
    """A record compared with itself is always unchanged, which would say nothing."""
    common = before.keys() & now.keys()
    if common and all(before[key].runs == now[key].runs for key in common):
        raise UsageError(
            "both folders hold the same records", f"{old} and {new}", "name two different recordings"
        )


def _policy(path: Path | None, today: dt.date) -> SuitePolicy:
    if path is None:
        return SuitePolicy()
    try:
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UnusableError(f"cannot be read, {reason}", str(path), "name a policy file") from None
    loaded = load_policy(data, str(path), today=today)
    return SuitePolicy(rules=loaded.rules, removed=loaded.removed)
