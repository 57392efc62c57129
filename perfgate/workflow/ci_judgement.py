"""Records of a change judged again by the default branch's own code, policy and baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.verdict import Verdict
from perfgate.diagnose.explanation import explain
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.report.check_report import CheckReport, GuardrailPart
from perfgate.workflow.check import needs_explanation, worst_first
from perfgate.workflow.ground import prepare_ground

if TYPE_CHECKING:
    import datetime as dt

    from perfgate.workflow.ci_records import Delivery
    from perfgate.workflow.options import GateOptions


def judge_again(options: GateOptions, delivery: Delivery, today: dt.date) -> CheckReport:
    """Judge the delivered records against the checked-out commit; no fresh runs are taken here.

    From the job's own report come only what this side cannot see and what is never in the change's favour:
    guardrail findings, benchmarks that were skipped or are missing, edits of the gate.

    Raises:
        PerfgateError: base, policy or baselines of the default branch cannot be used.
    """
    ground = prepare_ground(options, {}, today)
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
    verdicts = tuple(sorted(decision.benchmarks, key=worst_first))
    explanations = {
        item.key: explain(ground.baselines.records[item.key], delivery.records[item.key])
        for item in verdicts
        if needs_explanation(item) and item.key in delivery.records and item.key in ground.baselines.records
    }
    return CheckReport(
        exit_code=int(decision.exit_code),
        base=ground.base,
        family_error=decision.family_error,
        verdicts=verdicts,
        explanations=explanations,
        skipped=skipped,
        unusable=ground.baselines.unusable,
        guardrails=claimed.guardrails if claimed else GuardrailPart(),
        edits=claimed.edits if claimed else (),
        notes=decision.notes,
        common_mode=decision.common_mode,
        not_judged=len(gone - missing - skipped.keys()),
    )
