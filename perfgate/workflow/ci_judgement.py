"""Records of a change judged again by the default branch's own code, policy and baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import trace_id
from perfgate.core.errors import ExitCode
from perfgate.core.verdict import Verdict
from perfgate.diagnose.explanation import explain
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.report.check_report import CheckReport, GuardrailPart
from perfgate.workflow.budgets import unfitting, with_budgets
from perfgate.workflow.check import needs_explanation, worst_first
from perfgate.workflow.ground import prepare_ground
from perfgate.workflow.guarding import check_guardrails

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Sequence

    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.diagnose.explanation import Explanation
    from perfgate.report.check_report import EditedFile
    from perfgate.workflow.ci_records import Delivery
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions


def judge_again(
    options: GateOptions, delivery: Delivery, edits: Sequence[EditedFile], today: dt.date
) -> CheckReport:
    """Judge the delivered records against the checked-out commit; no fresh runs are taken here.

    `edits` are the files of the gate that the change touches. From the job's own report come only what this
    side cannot see and what is never in the change's favour: guardrail findings, benchmarks that were skipped
    or are missing, what an edit of the gate amounts to.

    Raises:
        PerfgateError: base, policy or baselines of the default branch cannot be used.
    """
    ground = prepare_ground(options, {}, today).with_records(delivery.records)
    claimed = delivery.claimed
    gone = ground.baselines.records.keys() - delivery.records.keys()
    missing = {item.key for item in (claimed.verdicts if claimed else ()) if item.verdict is Verdict.MISSING}
    skipped = {key: why for key, why in (claimed.skipped if claimed else {}).items() if key in gone}
    decision = decide_in_stages(
        ground.baselines.records,
        delivery.records,
        ground.policy,
        None,
        options=JudgeOptions(waivers=ground.file.waivers, not_selected=frozenset(gone - missing)),
    )
    rules = check_guardrails(ground.tree, ground.trusted, today).evaluation.rules
    verdicts, is_over_budget = with_budgets(decision.benchmarks, rules, delivery.records)
    unfit, is_unfit_red = unfitting(rules, ground.benchmarks)
    report = CheckReport(
        exit_code=int(decision.exit_code),
        base=ground.base,
        family_error=decision.family_error,
        verdicts=tuple(sorted(verdicts, key=worst_first)),
        explanations=_explanations(ground, delivery, verdicts),
        skipped=skipped,
        unusable=ground.baselines.unusable,
        guardrails=claimed.guardrails if claimed else GuardrailPart(),
        edits=tuple(_with_effects(edits, claimed)),
        notes=(*_renewed(verdicts, ground, edits), *unfit, *decision.notes),
        common_mode=decision.common_mode,
        not_judged=len(gone - missing - skipped.keys()),
        traces={key: trace_id(record) for key, record in delivery.records.items()},
    )
    fail_on = rules.settings.fail_on
    is_broken = any(item.severity.rank >= fail_on.rank for item in report.guardrails.findings)
    is_red = is_over_budget or is_unfit_red or is_broken
    return msgspec.structs.replace(report, exit_code=int(_exit_code(report, is_red=is_red)))


def _explanations(
    ground: Ground, delivery: Delivery, verdicts: Iterable[BenchmarkVerdict]
) -> dict[str, Explanation]:
    before, now = ground.baselines.records, delivery.records
    return {
        item.key: explain(before[item.key], now[item.key])
        for item in verdicts
        if needs_explanation(item) and item.key in before and item.key in now
    }


def _renewed(
    verdicts: Iterable[BenchmarkVerdict], ground: Ground, edits: Iterable[EditedFile]
) -> Iterator[str]:
    """Regressions that the change may accept; whether that counts is seen in its own files only."""
    paths = {edit.path for edit in edits}
    for item in verdicts:
        path = f"{ground.baselines_folder}/{baseline_path(item.benchmark, item.device)}"
        if ground.accepts_in_review and item.verdict is Verdict.REGRESSED and path in paths:
            yield f"{item.key}: the change brings a new baseline; its own run says whether that counts"


def _with_effects(edits: Iterable[EditedFile], claimed: CheckReport | None) -> Iterator[EditedFile]:
    """The edits with the effect that the job read out of the files; none that GitHub lists is left out."""
    effects = {edit.path: edit for edit in (claimed.edits if claimed else ())}
    for edit in edits:
        yield effects.get(edit.path, edit)


def _exit_code(report: CheckReport, *, is_red: bool) -> ExitCode:
    """That of the decision, unless something that it does not know comes first."""
    if is_red or report.skipped:
        return ExitCode.FAIL
    if report.unusable and report.exit_code != ExitCode.FAIL:
        return ExitCode.UNUSABLE
    return ExitCode(report.exit_code)
