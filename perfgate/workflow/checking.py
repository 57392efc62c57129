"""`perfgate check` from end to end: ground, guardrails, measuring, one decision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from perfgate.baseline.store import trace_id
from perfgate.core.codec import plain
from perfgate.core.errors import ExitCode
from perfgate.gate.evidence_log import check_evidence
from perfgate.report.check_report import CheckReport, EditedFile, GuardrailPart, verdict_of
from perfgate.report.check_text import Closing
from perfgate.workflow.check import Outcome, Selected, judge_run, remarks
from perfgate.workflow.explaining import explained
from perfgate.workflow.given import outside_suites, select_beside
from perfgate.workflow.ground import prepare_ground
from perfgate.workflow.guarding import blocked_benchmarks, broken_places, check_guardrails
from perfgate.workflow.measuring import Measured, Measurer, measure_all, read_records, write_records
from perfgate.workflow.page_files import with_pages
from perfgate.workflow.paired_check import pair_request, paired_with

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.check import TakeNumbers
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.guarding import GuardRun
    from perfgate.workflow.options import GateOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """A finished check; `exit_code` is that of guardrails and decision together."""

    ground: Ground
    guard: GuardRun
    outcome: Outcome
    selected: int
    exit_code: ExitCode

    @property
    def closing(self) -> Closing:
        """What the closing lines say."""
        return closing_of(self.ground, self.guard, self.outcome, self.selected, int(self.exit_code))

    def json_value(self) -> dict[str, Any]:
        """The whole result as builtins."""
        return json_value(self.ground, self.guard, self.outcome, int(self.exit_code))


def run_check(  # noqa: PLR0913 - one keyword per outside thing: clock, environment, user, progress
    options: GateOptions,
    *,
    environment: Mapping[str, str],
    today: dt.date,
    expression: str = "",
    given: Path | None = None,
    announce: Callable[[int, int, str], None],
) -> CheckResult:
    """Check a working tree against its base commit. `given` records are judged instead of measuring.

    Raises:
        PerfgateError: something the whole run depends on cannot be used, or nothing is selected.
    """
    ground = prepare_ground(options, environment, today)
    guard = check_guardrails(ground.tree, ground.trusted, today)
    records = {} if given is None else read_records(given)
    ground = ground.with_records(records) if records else ground
    outside = outside_suites(records, ground.benchmarks, expression, options)
    selected = _selected(ground, outside, expression, options)
    blocked = (
        {} if options.measure_in_spite else blocked_benchmarks(ground.tree, selected, broken_places(guard))
    )
    measurer = Measurer(ground.tree, seed=options.seed, runs=options.runs, cache=options.cache)
    take: TakeNumbers | None = partial(measurer.further_runs, {item.key: item for item in ground.benchmarks})
    if options.against is not None:
        request = pair_request(options, expression)
        ground, measured = paired_with(ground, selected, blocked, request, environment, announce)
        take = None  # a fresh run of one side alone is no pair
    elif given is None:
        measured = measure_all(measurer, selected, blocked, announce)
    else:
        measured = _given(given, records, selected, outside)
    has_filter = bool(expression or options.devices)
    is_partial = len(selected) < len(ground.benchmarks) or (has_filter and bool(outside))
    outcome = judge_run(
        ground,
        Selected(benchmarks=selected, is_partial=is_partial, outside=frozenset(outside)),
        measured,
        take,
        guard.evaluation.rules,
    )
    if options.explains and options.against is None:
        outcome = explained(ground, outcome, options.seed)
    outcome = with_pages(ground, outcome, options)
    if options.keep_records is not None:
        write_records(options.keep_records, outcome.records.values())
    code = ExitCode.FAIL if guard.is_broken else outcome.exit_code
    return CheckResult(ground=ground, guard=guard, outcome=outcome, selected=len(selected), exit_code=code)


def _selected(
    ground: Ground, outside: Mapping[str, Record], expression: str, options: GateOptions
) -> tuple[Benchmark, ...]:
    """The benchmarks asked for; none at all where the change deleted every suite: then all are missing."""
    is_everything_gone = not ground.benchmarks and not expression and not options.devices
    if is_everything_gone and ground.baselines.records:
        return ()
    return select_beside(ground.benchmarks, outside, expression, options)


def _given(
    folder: Path,
    records: Mapping[str, Record],
    selected: Sequence[Benchmark],
    outside: Mapping[str, Record],
) -> Measured:
    """Records that somebody measured before; a selected benchmark without one is `invalid`."""
    chosen = {item.key for item in selected} | outside.keys()
    failed = {item.key: f"no record of it below {folder}" for item in selected if item.key not in records}
    kept = {key: record for key, record in records.items() if key in chosen}
    return Measured(records=kept, failed=failed, skipped={})


def closing_of(ground: Ground, guard: GuardRun, outcome: Outcome, selected: int, exit_code: int) -> Closing:
    """The closing of a run, for every face."""
    unusable = tuple(f"unusable: {reason}" for reason in ground.baselines.unusable.values())
    skipped = tuple(f"not measured: {key}: {reason}" for key, reason in sorted(outcome.skipped.items()))
    outside = len(outcome.records.keys() - {item.key for item in ground.benchmarks})
    return Closing(
        verdicts=outcome.verdicts,
        selected=selected + outside,
        total=len(ground.benchmarks) + outside,
        base=ground.base.commit,
        base_reason=ground.base.reason,
        family_error=outcome.decision.family_error,
        exit_code=exit_code,
        common_mode=outcome.decision.common_mode,
        guardrails=guard.summary(),
        edits=tuple(str(edit) for edit in ground.edits),
        loosened=tuple(str(item) for item in ground.loosened),
        notes=(
            *unusable,
            *skipped,
            *outcome.notes,
            *remarks(outcome.verdicts, ground, outcome.decision),
        ),
    )


def report_of(ground: Ground, guard: GuardRun, outcome: Outcome, exit_code: int) -> CheckReport:
    """Everything that a machine may want to know of a run."""
    spoken = {item.key for item in outcome.verdicts} | outcome.skipped.keys()
    return CheckReport(
        exit_code=exit_code,
        verdict=verdict_of(exit_code),
        base=ground.base,
        family_error=outcome.decision.family_error,
        common_mode=outcome.decision.common_mode,
        verdicts=outcome.verdicts,
        explanations=dict(outcome.explanations),
        skipped=dict(outcome.skipped),
        not_judged=len({item.key for item in ground.benchmarks} - spoken),
        places={item.key: item.place for item in ground.benchmarks},
        unusable=dict(ground.baselines.unusable),
        guardrails=GuardrailPart(summary=guard.summary(), findings=guard.findings),
        edits=tuple(EditedFile(path=edit.path, effect=edit.effect) for edit in ground.edits),
        loosened=tuple(str(item) for item in ground.loosened),
        notes=outcome.notes,
        evidence=tuple(check_evidence(row) for row in outcome.decision.evidence),
        traces={key: trace_id(record) for key, record in outcome.records.items()},
    )


def json_value(ground: Ground, guard: GuardRun, outcome: Outcome, exit_code: int) -> dict[str, Any]:
    """The report as builtins."""
    value: dict[str, Any] = plain(report_of(ground, guard, outcome, exit_code))
    return value
